import { parameterLimits } from './parameters.ts';
import { type Credentials, splitCredentials } from './scheme.ts';

/**
 * The challenges of one field line (RFC 9110 §11.6.1). Commas separate both challenges and their parameters: an element
 * that is not `name=value` begins a challenge. An unreadable element ends the list.
 */
export function splitChallenges(line: string): readonly Credentials[] {
  if (line.length > parameterLimits.list) return [];
  const challenges: [begin: string, ...parameters: string[]][] = [];
  for (const element of elements(line)) {
    const last = challenges.at(-1);
    if (last !== undefined && PARAMETER.test(element)) last.push(element);
    else challenges.push([element]);
  }
  return challenges.flatMap(([begin, ...parameters]) => splitCredentials(joined(begin, parameters)) ?? []);
}

const PARAMETER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+[ \t]*=/;

/** Joins a challenge. A space separates the scheme from its first parameter. */
function joined(begin: string, parameters: readonly string[]): string {
  if (parameters.length === 0) return begin;
  return `${begin}${begin.includes(' ') ? ', ' : ' '}${parameters.join(', ')}`;
}

/** Elements of a list (RFC 9110 §5.6.1). A comma in a quoted-string does not end an element. */
function elements(line: string): readonly string[] {
  const found = line.match(/(?:"(?:[^"\\]|\\.?)*"?|[^",])+/gs) ?? [];
  return found.map((element) => element.trim()).filter((element) => element !== '');
}
