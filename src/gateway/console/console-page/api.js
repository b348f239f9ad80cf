// The API of this listener. A session that has ended leads to its login.

/** The answer as JSON, with its status. */
export async function ask(path, body) {
  const response = await fetch(path, body === undefined ? {} : posted(body));
  const answer = await response.json().catch(() => ({ fault: `the gateway answered ${response.status}` }));
  if (response.status === 401 && typeof answer.login === 'string') location.assign(answer.login);
  return { status: response.status, ok: response.ok, answer };
}

function posted(body) {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
