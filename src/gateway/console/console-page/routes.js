// Routes: in the order of matching, with their requests. A path that is tried lights the route that wins.
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ask } from './api.js';
import { Place } from './explanation.js';
import { addressOf, follow, keep, state } from './state.js';
import { Alert, html, numberText, timeText, Verdict } from './ui.js';

/** Milliseconds between two readings. */
const EVERY = 5000;

const routes = signal(undefined);
const fault = signal('');
/** The answer of `explain` for the tried path. */
const tried = signal(undefined);
const reload = signal(undefined);

async function read() {
  const { ok, answer } = await ask('/api/routes').catch(() => ({ ok: false, answer: {} }));
  fault.value = ok ? '' : 'The gateway does not answer. The page asks again.';
  if (ok) routes.value = answer.routes;
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
    <h1>Routes</h1>
    <p class="quiet-text">In the order in which the gateway matches them: the most specific first.</p>
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
    <label for="method">Method</label>
    <input id="method" name="method" class="short" defaultValue=${state.value.get('method') ?? 'GET'} autocomplete="off" spellcheck=${false} />
    <label for="try">Try a path or URL</label>
    <input id="try" name="try" defaultValue=${state.value.get('try') ?? ''} placeholder="/orders/7" autocomplete="off" spellcheck=${false} />
    <button class="quiet">Try</button>
    <p role="status" class="help">${triedText(wins)}</p>
  </form>`;
}

function triedText(wins) {
  if (tried.value === undefined) return '';
  if (tried.value.fault !== undefined) return tried.value.fault;
  return wins === undefined
    ? `No route matches: ${tried.value.explanation.answer.text ?? ''}`
    : `${wins} handles this request.`;
}

async function tryPath() {
  const path = state.value.get('try');
  if (!path) {
    tried.value = undefined;
    return;
  }
  const { answer } = await ask('/api/explain', { method: state.value.get('method') || 'GET', url: path });
  tried.value = answer;
}

function Table() {
  const wins = tried.value?.explanation?.route;
  const misfits = new Map((tried.value?.explanation?.candidates ?? []).map((each) => [each.route, each.misfits]));
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Routes">
    <table>
      <thead><tr><th scope="col">Route</th><th scope="col">Matches</th><th scope="col">Requires</th><th scope="col" class="number">Requests</th>
        <th scope="col">Refused</th><th scope="col">Last request</th></tr></thead>
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
      ${wins ? html` <${Verdict} kind="pass">handles it<//>` : null}
      ${misfits?.length > 0 ? html`<br /><span class="quiet-text">${misfits.join('; ')}</span>` : null}</th>
    <td><code>${methods?.join(', ') ?? 'any method'} ${host ?? ''}${path}</code></td>
    <td>${requirement(route)}</td>
    <td class="number">${numberText(requests)}</td>
    <td><${Refusals} route=${route} /></td>
    <td>${last === undefined ? '–' : timeText(last)}</td>
  </tr>`;
}

function requirement({ access, scope, shadow }) {
  const needed =
    scope === undefined
      ? { public: 'nothing', optional: 'nothing, a token is read', authenticated: 'any valid credential' }[access]
      : scope.join(' or ');
  return shadow ? `${needed} (shadow mode)` : needed;
}

const SHOWN = 3;

function Refusals({ route: { refused } }) {
  if (refused.length === 0) return '–';
  const rest = refused.slice(SHOWN).reduce((sum, { count }) => sum + count, 0);
  return html`<ul class="plain">
    ${refused
      .slice(0, SHOWN)
      .map(
        ({ code, reason, count }) =>
          html`<li key=${`${code} ${reason}`}>${numberText(count)} × <code>${code}</code> <span class="quiet-text">${reason}</span></li>`,
      )}
    ${rest > 0 ? html`<li>${numberText(rest)} others</li>` : null}
  </ul>`;
}

async function readReload() {
  const { ok, answer } = await ask('/api/reload');
  if (ok) reload.value = answer;
}

const titles = { opened: 'More open', closed: 'More closed' };

function LastReload() {
  if (reload.value === undefined) return null;
  const { at, changes, settings } = reload.value;
  if (at === null)
    return html`<h2>Last reload</h2><p class="quiet-text">The file was not reloaded since the start.</p>`;
  return html`<h2>Last reload, ${timeText(at)}</h2>
    ${changes.length === 0 ? html`<p>No request has more or less access than before.</p>` : null}
    ${Object.entries(titles).map(([kind, title]) => html`<${Changes} key=${kind} title=${title} changes=${changes.filter(({ change }) => change === kind)} />`)}
    ${settings.length === 0 ? null : html`<h3>Other settings</h3><ul class="plain">${settings.map((text) => html`<li key=${text}>${text}</li>`)}</ul>`}`;
}

function Changes({ title, changes }) {
  if (changes.length === 0) return null;
  return html`<h3>${title}</h3><ul class="candidates">${changes.map(
    ({ methods, path, hosts, callers, before, after }) => html`<li>
      <code>${methods.join(', ')} ${path}</code> at ${hosts.join(', ')}; ${callers.join('; ')}<br />was ${before}, now ${after}</li>`,
  )}</ul>`;
}
