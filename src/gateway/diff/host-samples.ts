import type { Route } from '../decide/route.ts';
import { unique, wordBeside } from './path-samples.ts';

/** A host to try, and its form in a report. */
export interface HostSample {
  readonly text: string;
  readonly label: string;
}

type Labels = NonNullable<Route['host']>['labels'];
type Label = Labels[number];

/** Each named host, one host for each pattern and for each two patterns, and one host that no route names. */
export function hostSamples(routes: readonly Route[]): readonly HostSample[] {
  const patterns = routes.flatMap(({ host }) => (host === undefined ? [] : [host.labels]));
  const word = wordBeside(patterns.flat().map((label) => (label.kind === 'literal' ? label.text : '')));
  const shapes = unique(patterns, (labels) => written(labels, word));
  const open = shapes.filter((labels) => labels.some(({ kind }) => kind !== 'literal'));
  const shared = open.flatMap((one) => shapes.flatMap((other) => sharedBy(one, other)));
  const named = [...shapes, ...shared].map((labels) => ({ text: written(labels, word), label: written(labels) }));
  return unique([...named, { text: `${word}.invalid`, label: '(any other host)' }], ({ text }) => text);
}

/** `word`: for names, each with a number. Undefined: for a report. */
function written(labels: Labels, word?: string): string {
  const stand = (index: number) => (word === undefined ? '{}' : word + index);
  return labels.map((label, index) => (label.kind === 'literal' ? label.text : stand(index))).join('.');
}

/** The hosts that both patterns match. Empty: there are none. */
function sharedBy(one: Labels, other: Labels): readonly Labels[] {
  if (one.length !== other.length) return [];
  const both = one.flatMap((label, index) => narrower(label, other[index] as Label));
  return both.length === one.length ? [both] : [];
}

function narrower(one: Label, other: Label): readonly Label[] {
  if (one.kind !== 'literal') return [other];
  return other.kind !== 'literal' || other.text === one.text ? [one] : [];
}
