import { corpus } from '../../support/corpora.ts';
import { type CompileCase, caseOf, type Lines } from './case.ts';

const LISTS = ['patt_deep_traversal', 'patt_directory_traversal', 'patt_traversals-8-deep-exotic-encoding'];

/** Below routes that need nothing, any token, and a scope. A path that leads to `/files/secret` needs another scope. */
const FOLDERS = ['/files/', '/open/', '/orders/', '/'];

/** No token, one that fits everywhere, and one that lacks each scope. */
const TOKENS = ['none', 'admin', 'scope without rights'];

/** Each path of the lists with each of these tokens. Needs the folder of the corpora. */
export function* corpusCases(known: ReadonlyMap<string, Lines>): Generator<CompileCase> {
  for (const target of corpusTargets())
    for (const credential of TOKENS) yield caseOf(`GET ${target}`, credential, known.get(credential) ?? []);
}

function corpusTargets(): readonly string[] {
  const lines = LISTS.flatMap((list) => corpus(`path-lists/${list}.txt`).split('\n').filter(Boolean));
  return lines.map((line, index) => {
    const text = Buffer.from(line.replaceAll('{FILE}', 'files/secret')).toString('latin1');
    return (FOLDERS[index % FOLDERS.length] ?? '/') + text;
  });
}
