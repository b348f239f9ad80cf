// Token: what is in a token, whether it is valid here, and what each route says about it. The token is in no address and no storage.
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { onlyLast } from './api.js';
import { Checks, Place } from './explanation.js';
import { dayText, fill, texts, timeText } from './language.js';
import { Alert, english, faultOf, html, Verdict } from './ui.js';

const words = texts.token;

const result = signal({});
const checking = onlyLast();

export function Token() {
  const field = useRef(null);
  useEffect(() => {
    const input = field.current;
    const clear = () => {
      checking.forget();
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
    const told = await checking.ask('/api/token', { token: field.current.value.trim() });
    if (told !== undefined) result.value = told.ok ? told.answer : { fault: faultOf(told.answer) };
  };
  return html`
    <h1>${words.title}</h1>
    <p class="quiet-text">${words.intro}</p>
    <form onSubmit=${send}>
      <label for="token">${words.field}</label>
      <textarea id="token" ref=${field} rows="4" autocomplete="off" autocorrect="off" autocapitalize="off" spellcheck=${false} required></textarea>
      <p class="actions"><button>${words.check}</button></p>
    </form>
    <${Alert} text=${result.value.fault} />
    ${result.value.token === undefined ? null : html`<${View} view=${result.value} />`}
  `;
}

function View({ view: { header, claims, token, routes } }) {
  return html`<div class="split wide" role="status">
    <section class="details">
      <${Checks} token=${token} heading="h2" />
      ${header === undefined ? null : html`<h2>${words.header}</h2><pre lang="en">${JSON.stringify(header, null, 2)}</pre>`}
      ${claims === undefined ? null : html`<h2>${words.claims}</h2><${Times} claims=${claims} /><pre lang="en">${JSON.stringify(claims, null, 2)}</pre>`}
    </section>
    <section class="details">
      <h2>${words.routes}</h2>
      ${routes.length === 0 ? html`<p>${words.noRoute}</p>` : null}
      <ul class="candidates">${routes.map((route) => html`<${RouteVerdict} key=${route.route} route=${route} />`)}</ul>
    </section>
  </div>`;
}

function Times({ claims }) {
  const given = Object.entries(words.times).filter(([name]) => typeof claims[name] === 'number');
  if (given.length === 0) return null;
  const at = (seconds) => `${dayText(seconds * 1000)} ${timeText(seconds * 1000)}`;
  return html`<p class="quiet-text">${given.map(([name, text]) => fill(text, { time: at(claims[name]) })).join(', ')}</p>`;
}

const kinds = { passes: 'pass', refused: 'refuse', unavailable: 'fail' };
const marks = { passes: words.passes, refused: words.refused, unavailable: words.unavailable };

function RouteVerdict({ route: { route, at, verdict, code, text, depends } }) {
  return html`<li>
    <${Verdict} kind=${kinds[verdict]}>${marks[verdict]}<//> <b>${route}</b> <${Place} at=${at} />
    ${code ? html` <code lang="en">${code}</code>` : null} ${english(text ?? '')}
    ${verdict === 'passes' && depends ? html` <span class="quiet-text">${words.depends}</span>` : null}
  </li>`;
}
