import { corpus } from '../support/corpora.ts';
import type { Random } from '../support/random.ts';
import { type Ask, callers } from './asker.ts';
import { FIELDS, QUERIES } from './fields.ts';
import { LOUD, QUIET, WORDS } from './mutations.ts';
import { pathsOf, type RuleFile } from './rule-files.ts';

/** A request against the rules of this file: one of its paths, in a spelling that an attacker would try. */
export function someAsk(file: RuleFile, random: Random): Ask {
  return {
    // A caller with all rights finds nothing.
    caller: random.pick(['anybody', 'anybody', 'reader', 'reader', 'reader', 'admin']),
    host: random.pick(file.hosts),
    target: someTarget(file, random),
    fields: random.chance(file.fielded) ? random.pick(FIELDS) : [],
  };
}

function someTarget(file: RuleFile, random: Random): string {
  let path = somePath(file, random);
  const [kind, most] = random.chance(0.5) ? [QUIET, 4] : [LOUD, 2];
  for (let count = random.below(most + 1); count > 0; count--) path = random.pick(kind)(path, random, file.weak);
  const query = random.chance(file.fielded) ? random.pick(QUERIES) : '';
  const form = random.chance(0.02) ? `http://${random.pick(file.hosts)}` : '';
  return form + path + query;
}

function somePath(file: RuleFile, random: Random): string {
  const words = () => random.pick([[], [random.pick(WORDS)], [random.pick(WORDS), random.pick(WORDS)]]).join('/');
  return random
    .pick(pathsOf(file))
    .replace(/\{\w+\*\}/, words)
    .replace(/\{\w+\}/g, () => random.pick(WORDS));
}

/** Requests that every caller sends in every run. */
export function* fixedAsks({ always, hosts }: RuleFile): Generator<Ask> {
  for (const target of always) {
    for (const host of hosts) for (const caller of callers) yield { caller, host, target, fields: [] };
  }
}

const LISTS = ['patt_deep_traversal', 'patt_directory_traversal', 'patt_traversals-8-deep-exotic-encoding'];

/** Every line of the path lists, leading from the weak part of a file to its strict one. */
export function* corpusAsks(file: RuleFile, random: Random): Generator<Ask> {
  const { weak, strict } = file;
  for (const list of LISTS) {
    for (const line of corpus(`path-lists/${list}.txt`).split('\n').filter(Boolean)) {
      const filled = line.includes('{FILE}') ? line.replaceAll('{FILE}', strict) : `${line}/${strict}`;
      for (const target of [`${weak}${filled}`, `${weak.slice(0, -1)}${filled}`, `/${filled}`]) {
        yield { caller: random.pick(callers), host: random.pick(file.hosts), target, fields: [] };
      }
    }
  }
}
