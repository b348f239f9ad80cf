// A question and its answer as an entry of `tests:` in the gateway's file.

/** YAML. JSON texts are YAML texts, so each value is written as JSON. Undefined: a test cannot expect such an answer. */
export function testEntry(
  { method, url, headers, scope, claims, user, mcp, hadToken },
  { answer, would_be, route, token },
) {
  const expect = expected(would_be ?? answer, route);
  if (expect === undefined) return undefined;
  const assumed = hadToken
    ? assumedFrom(token)
    : scope === undefined
      ? undefined
      : { scope, ...(claims && { claims }) };
  const lines = [
    `  - request: ${JSON.stringify(`${method} ${url}`)}`,
    ...(headers.length === 0 ? [] : [`    headers: ${JSON.stringify(Object.fromEntries(headers))}`]),
    ...(mcp === undefined ? [] : [`    mcp: ${JSON.stringify(mcp)}`]),
    ...(assumed === undefined ? [] : [`    token: ${JSON.stringify(assumed)}`]),
    ...(user === undefined ? [] : [`    user: ${JSON.stringify(user)}`]),
    `    expect: ${expect}`,
  ];
  return `tests:\n${lines.join('\n')}\n`;
}

/** A test assumes a token with the scopes of the verified one. */
function assumedFrom(token) {
  const found = token?.checks.find(({ name }) => name.startsWith('scope'))?.found ?? '';
  return /^[!#-[\]-~]+( [!#-[\]-~]+)*$/.test(found) && found !== 'none' ? { scope: found } : {};
}

function expected({ kind, status, code }, route) {
  if (kind === 'forward') return `{ forward: true${route === undefined ? '' : `, route: ${JSON.stringify(route)}`} }`;
  return kind === 'refuse' ? `{ refuse: ${status}, code: ${code} }` : undefined;
}
