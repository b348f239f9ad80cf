/**
 * The lines of an Authorization value that a proxy may have joined from several lines. RFC 9110 §11.6.2 allows one
 * credential, but some proxies join repeated lines with a comma. A comma in front of another scheme name ends a
 * credential. A comma in front of a parameter of the same credential (`name=value`, as in Digest) does not, and neither
 * does a comma in a quoted string.
 */
export function separatedCredentials(value: string): readonly string[] {
  const lines: string[] = [];
  let begin = 0;
  for (const { index, 0: found } of value.matchAll(QUOTED_OR_COMMA)) {
    if (!found.startsWith(',') || PARAMETER.test(value.slice(index + found.length))) continue;
    lines.push(value.slice(begin, index));
    begin = index + found.length;
  }
  return [...lines, value.slice(begin)];
}

/** A quoted string (RFC 9110 §5.6.4), to its end or to the end of the value, or a comma with its spaces. */
const QUOTED_OR_COMMA = /"(?:[^"\\]|\\.)*(?:"|$)|,[ \t]*/gs;
/** `auth-param` (RFC 9110 §11.2), or an empty element of a list (§5.6.1). */
const PARAMETER = /^(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+[ \t]*=|,|$)/;
