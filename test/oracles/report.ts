import type { Ask } from './asker.ts';
import type { Counts, Difference } from './oracle.ts';
import type { RuleFile } from './rule-files.ts';
import { routeFinder } from './which-route.ts';

/** The number of examples that are shown of a class. */
const SHOWN = 3;

/** Differences as lines to read: by file, the spelling of the request, and which reader is deceived. */
export function inClasses(found: readonly Difference[], file: RuleFile): readonly string[] {
  const routeOf = routeFinder(file);
  const classes = Map.groupBy(found, (difference) => disguiseOf(difference));
  return [...classes]
    .sort(([, one], [, other]) => other.length - one.length)
    .flatMap(([name, members]) => [
      `${name}: ${members.length}, before ${[...new Set(members.map(({ reader }) => reader))].join(', ')}`,
      ...members.slice(0, SHOWN).map((each) => `  ${inWords(each, routeOf)}`),
    ]);
}

function inWords({ reader, file, ask, served, plain, why }: Difference, routeOf: (ask: Ask) => string): string {
  return [
    `${file}, ${reader}, ${ask.caller}: forwarded ${written(ask)} by ${routeOf(ask)}`,
    `serves ${JSON.stringify(served.path)}`,
    `plain ${written(plain)} has ${routeOf(plain)}: ${why}`,
  ].join('; ');
}

function written({ target, host, fields }: Ask): string {
  return [target, host, ...fields.map((field) => field.join(': '))].join(' | ');
}

/** The first that matches. */
const DISGUISES: readonly (readonly [name: string, test: (difference: Difference) => boolean])[] = [
  ['Connection names the field', ({ ask }) => ask.fields.some(([name]) => name === 'Connection')],
  [
    'header',
    ({ ask, plain }) => String(ask.fields) !== String(plain.fields) && ask.fields.length > 0 && plain.fields.length > 0,
  ],
  ['query', ({ plain }) => plain.target.includes('?')],
  ['encoded slash', ({ ask }) => /%2f/i.test(ask.target)],
  ['parameter', ({ ask }) => /;|%3b/i.test(ask.target)],
  ['dot segment', ({ served }) => /\/\.{1,2}(?:\/|$)/.test(served.path)],
  ['dot segment resolved', ({ ask }) => /\.\./.test(ask.target)],
  ['cut at ? or #', ({ ask }) => /%3f|%23/i.test(ask.target)],
  ['control', ({ ask }) => /%[01][0-9a-f]|%7f|%c2%[89]/i.test(ask.target)],
  ['blank', ({ ask }) => /%20|%c2%a0/i.test(ask.target)],
  ['pchar', ({ ask }) => /%(?:2[146789abcd]|3[ad]|40)/i.test(ask.target)],
  ['host', ({ ask, plain }) => ask.host !== plain.host],
];

function disguiseOf(difference: Difference): string {
  return DISGUISES.find(([, test]) => test(difference))?.[0] ?? 'other';
}

/** What was done, in one line. */
export function inFigures({ asked, forwarded, served }: Counts, differences: number, milliseconds: number): string {
  const each = Object.entries(served).map(([reader, count]) => `${reader} ${count}`);
  const seconds = (milliseconds / 1000).toFixed(1);
  return `asked ${asked}, forwarded ${forwarded}, served ${each.join(', ')}; differences ${differences}; ${seconds} s`;
}
