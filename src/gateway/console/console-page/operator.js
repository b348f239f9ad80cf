// Who is logged in, and the button that ends the session. Without a login, there is nothing to show.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ask } from './api.js';
import { texts } from './language.js';
import { html } from './ui.js';

const operator = signal({ name: null, logout: null });

async function read() {
  const { ok, answer } = await ask('/api/operator');
  if (ok) operator.value = answer;
}

export function Operator() {
  useEffect(() => void read(), []);
  const { name, logout } = operator.value;
  if (name === null) return null;
  return html`<div class="operator">
    <span>${name}</span>
    ${logout === null ? null : html`<button class="quiet" onClick=${() => logOut(logout)}>${texts.frame.logOut}</button>`}
  </div>`;
}

async function logOut(path) {
  const { ok, answer } = await ask(path, {});
  if (ok) location.assign(answer.page);
}
