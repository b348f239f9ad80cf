// A question and its answer as an entry of `tests:` in the gateway's file.

/** YAML. JSON texts are YAML texts, so each value is written as JSON. */
export function testEntry(
  { method, url, headers, scope, claims, user, mcp, token },
  { answer, would_be: wouldBe, route },
) {
  const lines = [
    `  - request: ${JSON.stringify(`${method} ${url}`)}`,
    ...(headers.length === 0 ? [] : [`    headers: ${JSON.stringify(Object.fromEntries(headers))}`]),
    ...(mcp === undefined ? [] : [`    mcp: ${JSON.stringify(mcp)}`]),
    ...(token === undefined
      ? []
      : ['    # a test assumes a token: write its scope and claims here', '    token: { scope: "" }']),
    ...(scope === undefined ? [] : [`    token: ${JSON.stringify({ scope, ...(claims && { claims }) })}`]),
    ...(user === undefined ? [] : [`    user: ${JSON.stringify(user)}`]),
    `    expect: ${expected(wouldBe ?? answer, route)}`,
  ];
  return `tests:\n${lines.join('\n')}\n`;
}

function expected({ kind, status, code }, route) {
  if (kind === 'forward') return `{ forward: true${route === undefined ? '' : `, route: ${JSON.stringify(route)}`} }`;
  return `{ refuse: ${status ?? 401}${code === undefined ? '' : `, code: ${code}`} }`;
}
