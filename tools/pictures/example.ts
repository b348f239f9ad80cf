import { readFileSync } from 'node:fs';
import { homedir, hostname, tmpdir, userInfo } from 'node:os';
import type { Page } from 'playwright-core';
import { type RunningDemo, usualPorts } from './running.ts';

const script = readFileSync(new URL('page-text.js', import.meta.url), 'utf8');

/** The texts of elements whose true values differ from run to run. */
const elements = [['main:has(.list) .bar .verdict', ['0.8/s', '0.4/s', '0/s']]] as const;

/** Replaces what belongs to this machine or to one run. Throws an Error if the page still names this machine. */
export async function showExample(page: Page, demo: RunningDemo): Promise<void> {
  const values = JSON.stringify({ elements, patterns: patternsOf(demo) });
  const texts = (await page.evaluate(`${script}; settle(${values})`)) as readonly string[];
  for (const text of texts) if (ofThisMachine.test(text)) throw new Error(`${page.url()} shows this machine: ${text}`);
}

type Pattern = readonly [pattern: string, value: string];

function patternsOf({ ports }: RunningDemo): readonly Pattern[] {
  return [
    ...Object.entries(ports).map(([name, port]): Pattern => [`\\b${port}\\b`, String(usualPorts[name as 'api'])]),
    [`${RegExp.escape(hostname())}:\\d+`, 'gateway-1:7'],
    [`${RegExp.escape(tmpdir())}/gatehouse-demo-\\w+/`, '/etc/gatehouse/'],
    ['\\bat_[\\w-]{30,}', 'at_7hWmTqQx1NfPz0aYgkVd3sLbRu9cJoEi5wXtBvC2nMy'],
    ['\\b(at|ac)_[\\w-]{5}…', '$1_7hWmT…'],
    ['the state [\\w-]{8}…', 'the state q3VbN0sK…'],
  ];
}

/** The demo's own user is alice, so a name of this machine is not in its pages by chance. */
const ofThisMachine = new RegExp(
  [hostname(), userInfo().username, homedir(), tmpdir(), process.cwd()]
    .map((name) => `(?<![\\w.-])${RegExp.escape(name)}(?![\\w-])`)
    .join('|'),
);
