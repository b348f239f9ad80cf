import { parameterLimits } from './parameters.ts';
import { type Credentials, splitCredentials } from './scheme.ts';

/**
 * The challenges of one field line (RFC 9110 §11.6.1). A comma stands between two challenges as well as between two
 * parameters of one: an element that is not `name=value` begins a challenge. What cannot be read ends the list.
 */
export function splitChallenges(line: string): readonly Credentials[] {
  if (line.length > parameterLimits.list) return [];
  const challenges: string[] = [];
  for (const element of elements(line)) {
    const last = challenges.length - 1;
    if (PARAMETER.test(element) && last >= 0)
      challenges[last] = `${challenges[last]}${separator(challenges[last])}${element}`;
    else challenges.push(element);
  }
  return challenges.flatMap((text) => splitCredentials(text) ?? []);
}

const PARAMETER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+[ \t]*=/;

/** Behind a scheme that stood alone comes its first parameter. */
function separator(before = ''): string {
  return before.includes(' ') ? ', ' : ' ';
}

/** Elements of a list (RFC 9110 §5.6.1), where a comma within a quoted-string is no end. */
function elements(line: string): readonly string[] {
  const found = line.match(/(?:"(?:[^"\\]|\\.?)*"?|[^",])+/gs) ?? [];
  return found.map((element) => element.trim()).filter((element) => element !== '');
}
