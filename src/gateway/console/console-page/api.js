// The API of this listener. A session that has ended leads to its login, which leads back to this page.
import { fill, texts } from './language.js';
import { keepForLogin } from './state.js';

/** The answer as JSON, with its status. Never rejects: without an answer, the status is 0. */
export async function ask(path, body) {
  const response = await fetch(path, body === undefined ? {} : posted(body)).catch(() => undefined);
  if (response === undefined) return { status: 0, ok: false, answer: { own: texts.frame.unreachable } };
  const answer = await response.json().catch(() => ({ own: fill(texts.frame.unread, { status: response.status }) }));
  if (response.status === 401 && typeof answer.login === 'string') logIn(answer.login);
  return { status: response.status, ok: response.ok, answer };
}

/**
 * For questions of which only the last one counts. `ask` answers undefined if another question has been asked meanwhile, because
 * answers may arrive in another order. `forget` discards the answer that is under way.
 */
export function onlyLast() {
  let last = 0;
  return {
    async ask(path, body) {
      const mine = ++last;
      const answer = await ask(path, body);
      return mine === last ? answer : undefined;
    },
    forget() {
      last++;
    },
  };
}

/** For a question that repeats. An answer is undefined if a later question already has its answer. */
export function inOrder(path) {
  let asked = 0;
  let answered = 0;
  return async () => {
    const mine = ++asked;
    const answer = await ask(path);
    if (mine < answered) return undefined;
    answered = mine;
    return answer;
  };
}

function logIn(address) {
  keepForLogin();
  location.assign(`${address}?${new URLSearchParams({ return: location.pathname })}`);
}

function posted(body) {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
