// What the page shows. It writes text, never markup, because answers and tokens come from other programs.
// The texts are in the language of the browser.
import { texts } from './texts.js';

export function find(id) {
  return document.getElementById(id);
}

export function show(id, isShown = true) {
  find(id).hidden = !isShown;
}

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
  step.querySelector('h3').append(' ', labelled('span', 'tag', texts.states[state]));
  if (detail !== undefined) step.append(labelled('p', 'detail', detail));
}

function labelled(element, name, text) {
  return Object.assign(document.createElement(element), { className: name, textContent: text });
}

export function showAnswer(request, status, body) {
  find('status').textContent = `${request}: ${status}`;
  find('meaning').textContent = texts.meanings[status] ?? '';
  find('answer').textContent = body === '' ? texts.noBody : pretty(body);
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

/** The text with the values in place of the names in braces. */
export function fill(text, values) {
  return text.replaceAll(/\{(\w+)\}/g, (_, name) => values[name]);
}
