import { stdout } from 'node:process';
import { styleText } from 'node:util';
import type { DecisionWords } from './decision-words.ts';

type Style = Parameters<typeof styleText>[0];

/** Colors a text. It honors NO_COLOR, and adds no color to text that does not go to a terminal. */
export type Paint = (style: Style, text: string) => string;

export const paint: Paint = (style, text) => styleText(style, text, { stream: stdout, validateStream: true });

/** The upstream's own errors are no decisions of the gateway, but a person looks for them too. */
export function statusStyle(status: string): Style {
  if (status < '4') return status === '-' ? 'red' : 'green';
  return status < '5' ? 'yellow' : 'red';
}

export const styleOf: Readonly<Record<DecisionWords['result'], Style>> = {
  passed: 'green',
  refused: 'yellow',
  failed: 'red',
};
