// Token: what is in a token, whether it is valid here, and what each route says about it. The token is in no address and no storage.
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ask } from './api.js';
import { Checks, Place } from './explanation.js';
import { Alert, html, timeText, Verdict } from './ui.js';

const result = signal({});

export function Token() {
  const field = useRef(null);
  useEffect(() => {
    const input = field.current;
    const clear = () => {
      input.value = '';
      result.value = {};
    };
    addEventListener('pagehide', clear);
    return () => {
      removeEventListener('pagehide', clear);
      clear();
    };
  }, []);
  const send = async (event) => {
    event.preventDefault();
    const { ok, answer } = await ask('/api/token', { token: field.current.value.trim() });
    result.value = ok ? answer : { fault: answer.fault ?? answer.message };
  };
  return html`
    <h1>Token</h1>
    <p class="quiet-text">The gateway verifies the token as its routes do. It stores and logs nothing of it. The field is empty when you leave.</p>
    <form onSubmit=${send}>
      <label for="token">Access token</label>
      <textarea id="token" ref=${field} rows="4" autocomplete="off" autocorrect="off" autocapitalize="off" spellcheck=${false} required></textarea>
      <p class="actions"><button>Check</button></p>
    </form>
    <${Alert} text=${result.value.fault} />
    ${result.value.token === undefined ? null : html`<${View} view=${result.value} />`}
  `;
}

function View({ view: { header, claims, token, routes } }) {
  return html`<div class="split wide" role="status">
    <section class="details">
      <${Checks} token=${token} heading="h2" />
      ${header === undefined ? null : html`<h2>Header</h2><pre>${JSON.stringify(header, null, 2)}</pre>`}
      ${claims === undefined ? null : html`<h2>Claims</h2><${Times} claims=${claims} /><pre>${JSON.stringify(claims, null, 2)}</pre>`}
    </section>
    <section class="details">
      <h2>Routes that read tokens</h2>
      ${routes.length === 0 ? html`<p>No route of this file reads tokens.</p>` : null}
      <ul class="candidates">${routes.map((route) => html`<${RouteVerdict} key=${route.route} route=${route} />`)}</ul>
    </section>
  </div>`;
}

const times = { iat: 'issued', nbf: 'valid from', exp: 'expires' };

function Times({ claims }) {
  const given = Object.entries(times).filter(([name]) => typeof claims[name] === 'number');
  if (given.length === 0) return null;
  const day = (seconds) => new Date(seconds * 1000).toLocaleDateString();
  return html`<p class="quiet-text">${given.map(([name, word]) => `${word} ${day(claims[name])} ${timeText(claims[name] * 1000)}`).join(', ')}</p>`;
}

const kinds = { passes: 'pass', refused: 'refuse', unavailable: 'fail' };
const marks = { passes: '✓ passes', refused: '✗ refused', unavailable: '? no answer' };

function RouteVerdict({ route: { route, at, verdict, code, text, depends } }) {
  return html`<li>
    <${Verdict} kind=${kinds[verdict]}>${marks[verdict]}<//> <b>${route}</b> <${Place} at=${at} />
    ${code ? html` <code>${code}</code>` : null} ${text ?? ''}
    ${verdict === 'passes' && depends ? html` <span class="quiet-text">if the request meets the conditions of the route</span>` : null}
  </li>`;
}
