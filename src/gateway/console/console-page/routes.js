// Routes: in the order of matching, with the number of requests to each. Trying a path highlights the route that wins.
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { inOrder, onlyLast } from './api.js';
import { Place } from './explanation.js';
import { countText, fill, numberText, parts, texts, timeText } from './language.js';
import { addressOf, follow, keep, state } from './state.js';
import { Alert, english, faultOf, html, Verdict } from './ui.js';

const words = texts.routes;

/** Milliseconds between two readings. */
const EVERY = 5000;

const routes = signal(undefined);
const fault = signal('');
/** The answer of `explain` for the tried path. */
const tried = signal(undefined);
const reload = signal(undefined);

const askRoutes = inOrder('/api/routes');

async function read() {
  const told = await askRoutes();
  if (told === undefined) return;
  fault.value = told.ok ? '' : texts.frame.silent;
  if (told.ok) routes.value = told.answer.routes;
}

export function Routes() {
  useEffect(() => {
    void read();
    void readReload();
    const timer = setInterval(() => document.hidden || void read(), EVERY);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => void tryPath(), [state.value]);
  return html`
    <h1>${words.title}</h1>
    <p class="quiet-text">${words.intro}</p>
    <${Try} />
    <${Alert} text=${fault.value} />
    ${routes.value === undefined ? null : html`<${Table} />`}
    <${LastReload} />
  `;
}

function Try() {
  const form = useRef(null);
  const apply = (event) => {
    event.preventDefault();
    const data = new FormData(form.current);
    keep({ method: data.get('method').trim(), try: data.get('try').trim() });
  };
  const wins = tried.value?.explanation?.route;
  return html`<form class="line" ref=${form} onSubmit=${apply} role="search">
    <label for="method">${words.method}</label>
    <input id="method" name="method" class="short" defaultValue=${state.value.get('method') ?? 'GET'} autocomplete="off" spellcheck=${false} />
    <label for="try">${words.path}</label>
    <input id="try" name="try" defaultValue=${state.value.get('try') ?? ''} placeholder="/orders/7" autocomplete="off" spellcheck=${false} />
    <button class="quiet">${words.try}</button>
    <p role="status" class="help">${triedText(wins)}</p>
  </form>`;
}

function triedText(wins) {
  if (tried.value === undefined) return '';
  if (tried.value.explanation === undefined) return faultOf(tried.value);
  return wins === undefined
    ? parts(words.none, { text: english(tried.value.explanation.answer.text) })
    : fill(words.wins, { route: wins });
}

const trying = onlyLast();

async function tryPath() {
  const path = state.value.get('try');
  if (!path) {
    trying.forget();
    tried.value = undefined;
    return;
  }
  const told = await trying.ask('/api/explain', { method: state.value.get('method') || 'GET', url: path });
  if (told !== undefined) tried.value = told.answer;
}

function Table() {
  const wins = tried.value?.explanation?.route;
  const misfits = new Map((tried.value?.explanation?.candidates ?? []).map((each) => [each.route, each.misfits]));
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${words.table}>
    <table>
      <thead><tr><th scope="col">${words.route}</th><th scope="col">${words.match}</th><th scope="col">${words.requires}</th><th scope="col" class="number">${words.requests}</th>
        <th scope="col">${words.refused}</th><th scope="col">${words.last}</th></tr></thead>
      <tbody>
        ${routes.value.map((route) => html`<${Row} key=${route.id} route=${route} wins=${route.id === wins} misfits=${misfits.get(route.id)} />`)}
      </tbody>
    </table>
  </div>`;
}

function Row({ route, wins, misfits }) {
  const { id, at, host, path, methods, requests, last_hit: last } = route;
  const filter = { filter: `route:"${id}"` };
  return html`<tr class=${wins ? 'wins' : ''}>
    <th scope="row"><a href=${addressOf('live', filter)} onClick=${(event) => follow(event, 'live', filter)}>${id}</a><br /><${Place} at=${at} />
      ${wins ? html` <${Verdict} kind="pass">${words.handles}<//>` : null}
      ${misfits?.length > 0 ? html`<br /><span class="quiet-text" lang="en">${misfits.join('; ')}</span>` : null}</th>
    <td><code>${methods?.join(', ') ?? words.anyMethod} ${host ?? ''}${path}</code></td>
    <td>${requirement(route)}</td>
    <td class="number">${numberText(requests)}</td>
    <td><${Refusals} route=${route} /></td>
    <td>${last === undefined ? '–' : timeText(last)}</td>
  </tr>`;
}

function requirement({ access, scope, shadow }) {
  const needed =
    scope === undefined
      ? { public: words.public, optional: words.optional, authenticated: words.authenticated }[access]
      : scope.join(` ${words.or} `);
  return shadow ? fill(words.shadow, { needed }) : needed;
}

const SHOWN = 3;

function Refusals({ route: { refused, failed } }) {
  if (refused.length === 0 && failed === 0) return '–';
  const rest = refused.slice(SHOWN).reduce((sum, { count }) => sum + count, 0);
  return html`<ul class="plain">
    ${refused
      .slice(0, SHOWN)
      .map(
        ({ code, reason, count }) =>
          html`<li key=${`${code} ${reason}`}>${numberText(count)} × <span lang="en"><code>${code}</code> <span class="quiet-text">${reason}</span></span></li>`,
      )}
    ${rest > 0 ? html`<li>${countText(words.others, rest)}</li>` : null}
    ${failed > 0 ? html`<li>${countText(words.failed, failed)}</li>` : null}
  </ul>`;
}

const askReload = inOrder('/api/reload');

async function readReload() {
  const told = await askReload();
  if (told?.ok) reload.value = told.answer;
}

function LastReload() {
  if (reload.value === undefined) return null;
  const { at, changes, settings } = reload.value;
  if (at === null) return html`<h2>${words.reload}</h2><p class="quiet-text">${words.noReload}</p>`;
  return html`<h2>${fill(words.reloadAt, { time: timeText(at) })}</h2>
    ${changes.length === 0 ? html`<p>${words.noChange}</p>` : null}
    ${['opened', 'closed'].map((kind) => html`<${Changes} key=${kind} title=${words[kind]} changes=${changes.filter(({ change }) => change === kind)} />`)}
    ${settings.length === 0 ? null : html`<h3>${words.settings}</h3><ul class="plain" lang="en">${settings.map((text) => html`<li key=${text}>${text}</li>`)}</ul>`}`;
}

function Changes({ title, changes }) {
  if (changes.length === 0) return null;
  return html`<h3>${title}</h3><ul class="candidates">${changes.map(
    ({ methods, path, hosts, callers, before, after }) => html`<li>
      ${parts(words.change, { request: html`<code>${methods.join(', ')} ${path}</code>`, hosts: english(hosts.join(', ')), callers: english(callers.join('; ')) })}<br />
      ${parts(words.wasNow, { before: english(before), after: english(after) })}</li>`,
  )}</ul>`;
}
