// The address holds the page and its state, so every view can be shared. The state is in the fragment, which browsers do not
// send, so it is in no log. It never holds a token.
import { signal } from '@preact/signals';

const KEPT = 'state before the login';

restore();

export const page = signal(pageOf(location.pathname));
export const state = signal(read());
/** How often the address was changed from outside of the page's own fields. */
export const visits = signal(0);

addEventListener('popstate', refresh);
addEventListener('hashchange', refresh);

function refresh() {
  page.value = pageOf(location.pathname);
  state.value = read();
  visits.value++;
}

function pageOf(path) {
  return path.split('/').at(-1);
}

function read() {
  return new Map(new URLSearchParams(location.hash.slice(1)));
}

/** The address of a page with this state. A language that the address names stays in it. */
export function addressOf(name, values = {}) {
  const query = new URLSearchParams(given({ ...values, lang: state.value.get('lang') })).toString();
  return `/console/${name}${query === '' ? '' : `#${query}`}`;
}

function given(values) {
  return Object.entries(values).filter(([, value]) => value !== undefined && value !== '');
}

/** Goes to another page without a new document. */
export function go(name, values) {
  history.pushState(null, '', addressOf(name, values));
  refresh();
}

/** Changes the state of this page, without a step in the history. An empty value removes a name. */
export function keep(values) {
  const next = { ...Object.fromEntries(state.value), ...values };
  history.replaceState(null, '', addressOf(page.value, next));
  state.value = read();
}

/** For links: a click with a modifier still opens a tab. */
export function follow(event, name, values) {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(name, values);
}

/** A login leaves the document, and servers do not get the fragment. So this tab keeps it until it is back. */
export function keepForLogin() {
  sessionStorage.setItem(KEPT, location.pathname + location.hash);
}

function restore() {
  const kept = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  if (kept?.startsWith(`${location.pathname}#`)) history.replaceState(null, '', kept);
}
