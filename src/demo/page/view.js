// What the page shows. It writes text, never markup, because answers and tokens come from other programs.

export function find(id) {
  return document.getElementById(id);
}

export function show(id, isShown = true) {
  find(id).hidden = !isShown;
}

/** The words for the state of a step, so that no one needs to see a color. */
const states = { now: 'now', done: 'done', failed: 'failed' };

/** The step that is not finished yet. A failure belongs to it. */
let current;

/** Begins a step: `redirect`, `consent`, `code`, `token` or `api`. */
export function begin(name) {
  current = name;
  mark(name, 'now');
}

export function done(name, detail) {
  mark(name, 'done', detail);
  current = undefined;
}

/** The current step has failed, if there is one. */
export function failed(message) {
  if (current !== undefined) mark(current, 'failed');
  find('refused').textContent = message;
  show('refused');
}

function mark(name, state, detail) {
  const step = find(name);
  step.dataset.state = state;
  if (state === 'now') step.setAttribute('aria-current', 'step');
  else step.removeAttribute('aria-current');
  for (const old of step.querySelectorAll('.tag, .detail')) old.remove();
  step.querySelector('h3').append(' ', labelled('span', 'tag', states[state]));
  if (detail !== undefined) step.append(labelled('p', 'detail', detail));
}

function labelled(element, name, text) {
  return Object.assign(document.createElement(element), { className: name, textContent: text });
}

const meanings = {
  200: 'The token has the scope, so the API answered.',
  204: 'The API has done it.',
  401: 'The gateway accepted no credentials, so the API saw nothing.',
  403: 'The token is valid but lacks a scope, so the API saw nothing.',
};

export function showAnswer(request, status, body) {
  find('status').textContent = `${request}: ${status}`;
  find('meaning').textContent = meanings[status] ?? '';
  find('answer').textContent = body === '' ? 'The answer has no body.' : pretty(body);
  show('answered');
}

function pretty(body) {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** The beginning of a secret, to recognize it by. */
export function start(secret) {
  return `${secret.slice(0, 8)}…`;
}
