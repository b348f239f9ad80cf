// Live: the decisions as they are made.
import { computed, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { onlyLast } from './api.js';
import { Steps } from './explanation.js';
import { countText, fill, numberText, parts, texts, timeText } from './language.js';
import { openStream } from './live-stream.js';
import { kindOf } from './result.js';
import { addressOf, follow, keep, state } from './state.js';
import { Alert, english, Facts, faultOf, html, Verdict } from './ui.js';

const words = texts.live;

/** Decisions that the page keeps. */
const KEPT = 2000;
/** Pixels. The stylesheet uses the same height. */
const ROW = 36;
/** Milliseconds over which the rates are counted. */
const WINDOW = 5000;

const rows = signal([]);
const held = signal([]);
const paused = signal(false);
const status = signal('waiting');
const greeting = signal(undefined);
const left = signal(0);
const slow = signal(0);
const rates = signal({ passed: 0, refused: 0, failed: 0 });
const counted = [];

const filter = computed(() => state.value.get('filter') ?? '');
/** The decision whose steps are shown. It stays even when newer decisions push it out of the list. */
const chosen = computed(() => {
  const number = Number(state.value.get('decision'));
  const found = rows.value.find((row) => row.number === number);
  if (found !== undefined) lastChosen = found;
  return found ?? (lastChosen?.number === number ? lastChosen : undefined);
});
let lastChosen;
/** The number of a decision, and the YAML that would let its request pass. */
const remedies = signal({});
const remedying = onlyLast();

function clear() {
  rows.value = [];
  held.value = [];
  left.value = 0;
  slow.value = 0;
}

/** After another start of the gateway, its numbers begin again, so older rows could look like new ones. */
function greet(value) {
  if (greeting.value !== undefined && greeting.value.epoch !== value.epoch) {
    clear();
    lastChosen = undefined;
    remedying.forget();
    remedies.value = {};
  }
  greeting.value = value;
}

function start() {
  clear();
  paused.value = false;
  status.value = 'waiting';
  return openStream(filter.value, {
    take,
    greet,
    tell: (value) => {
      status.value = value;
    },
  });
}

function take({ decisions, left: more, slow: late, totals }) {
  left.value += more;
  slow.value += late;
  if (totals !== undefined) count(totals);
  if (decisions.length === 0) return;
  const place = paused.value ? held : rows;
  place.value = merged(place.value, decisions);
}

/** Newest first, each once. */
function merged(before, more) {
  const known = new Set(before.map(({ number }) => number));
  const fresh = more.filter(({ number }) => !known.has(number)).reverse();
  if (fresh.length === 0) return before;
  const both = [...fresh, ...before];
  if (before.length > 0 && fresh.at(-1).number < before[0].number) both.sort((one, other) => other.number - one.number);
  return both.slice(0, KEPT);
}

function count(totals) {
  const now = performance.now();
  counted.push({ now, ...totals });
  while (counted.length > 0 && counted[0].now < now - WINDOW) counted.shift();
  const span = Math.max(1, (now - counted[0].now) / 1000);
  const rate = (name) => counted.reduce((sum, each) => sum + each[name], 0) / span;
  rates.value = { passed: rate('passed'), refused: rate('refused'), failed: rate('failed') };
}

function resume() {
  paused.value = !paused.value;
  if (paused.value) return;
  rows.value = merged(rows.value, held.value.toReversed());
  held.value = [];
}

export function Live() {
  // A new filter is another stream.
  useEffect(start, [filter.value]);
  return html`
    <h1>${words.title}</h1>
    <${Filter} />
    <${Bar} />
    <${Alert} text=${statusText()} />
    <div class="split">
      <${List} />
      ${chosen.value === undefined ? html`<${Hint} />` : html`<${Details} record=${chosen.value} key=${chosen.value.number} />`}
    </div>
    <${Ticket} />
  `;
}

function statusText() {
  const own = { connected: '', waiting: '', refused: words.streamRefused };
  return own[status.value] ?? english(status.value);
}

const names = 'route, status, code, step, method, host, path, address, client, subject, mcp_method, mcp_name';

function Filter() {
  const input = useRef(null);
  const apply = (event) => {
    event.preventDefault();
    keep({ filter: input.current.value.trim(), decision: '' });
  };
  return html`<form class="line" onSubmit=${apply} role="search">
    <label for="filter">${words.filter}</label>
    <input id="filter" ref=${input} key=${filter.value} defaultValue=${filter.value} placeholder="route:orders status:4xx -client:shop /path"
      autocomplete="off" spellcheck=${false} aria-describedby="filter-help" />
    <button class="quiet">${words.apply}</button>
    <p id="filter-help" class="help">${parts(words.filterHelp, { names: english(names), star: html`<code>*</code>`, minus: html`<code>-</code>` })}</p>
  </form>`;
}

function Bar() {
  const { passed, refused, failed } = rates.value;
  const per = (value) => numberText(Math.round(value * 10) / 10);
  return html`<div class="bar">
    <button class="quiet" aria-pressed=${paused.value} onClick=${resume}>
      ${paused.value ? fill(words.resume, { count: numberText(held.value.length) }) : words.pause}
    </button>
    <span><${Verdict} kind="pass">${per(passed)}/s<//> ${words.passed}</span>
    <span><${Verdict} kind="refuse">${per(refused)}/s<//> ${words.refused}</span>
    <span><${Verdict} kind="fail">${per(failed)}/s<//> ${words.failed}</span>
    <span class="quiet-text" role="status">${whose()}</span>
    <span class="quiet-text">${missing()}</span>
  </div>`;
}

function whose() {
  if (greeting.value === undefined || status.value !== 'connected') return words.connecting;
  const { gateway, workers, replicas } = greeting.value;
  const own = workers > 0 ? countText(words.workers, workers, { gateway }) : gateway;
  const others = replicas.filter(({ fault }) => fault === undefined).map((replica) => replica.gateway ?? replica.url);
  const lost = replicas.filter(({ fault }) => fault !== undefined);
  return [fill(words.gateways, { gateways: [own, ...others].join(', ') }), ...lost.map(lostText)];
}

function lostText({ url, fault }) {
  return [' ', parts(words.lost, { url, fault: english(fault) })];
}

function missing() {
  const busy = left.value > 0 ? ` ${fill(words.tooMany, { count: numberText(left.value) })}` : '';
  const late = slow.value > 0 ? ` ${fill(words.tooSlow, { count: numberText(slow.value) })}` : '';
  return busy + late;
}

const first = signal(0);
const visible = signal(20);

/** Only the visible rows exist in the document. */
function List() {
  const box = useRef(null);
  const measure = () => {
    first.value = Math.floor(box.current.scrollTop / ROW);
    visible.value = Math.ceil(box.current.clientHeight / ROW) + 2;
  };
  useEffect(() => {
    measure();
    addEventListener('resize', measure);
    return () => removeEventListener('resize', measure);
  }, []);
  const all = rows.value;
  const from = Math.min(first.value, Math.max(0, all.length - visible.value));
  const spacer = useRef(null);
  const hadFocus = useRef(false);
  useEffect(() => {
    // A row that leaves the document takes the focus with it. Then the list itself has it, and the arrow keys still work.
    if (hadFocus.current && document.activeElement === document.body) box.current.focus({ preventScroll: true });
    spacer.current.style.height = `${all.length * ROW}px`;
    spacer.current.firstElementChild.style.transform = `translateY(${from * ROW}px)`;
  });
  return html`<div class="list" ref=${box} onScroll=${measure} onKeyDown=${move} tabindex="-1"
    onFocusIn=${() => {
      hadFocus.current = true;
    }} onFocusOut=${(event) => {
      hadFocus.current = event.relatedTarget === null;
    }}>
    ${all.length === 0 ? html`<p class="empty">${emptyText()}</p>` : null}
    <div ref=${spacer}>
      <ol aria-label=${words.list} start=${from + 1}>
        ${all.slice(from, from + visible.value).map((row) => html`<${Row} key=${row.number} row=${row} />`)}
      </ol>
    </div>
  </div>`;
}

function emptyText() {
  return filter.value === '' ? words.empty : words.noMatch;
}

/** Arrow keys go from row to row. */
function move(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const at = rows.value.findIndex(({ number }) => number === chosen.value?.number);
  const next = rows.value[Math.max(0, at + step)];
  if (next === undefined) return;
  keep({ decision: String(next.number) });
  const list = event.currentTarget;
  const index = rows.value.indexOf(next);
  if (index * ROW < list.scrollTop) list.scrollTop = index * ROW;
  if ((index + 1) * ROW > list.scrollTop + list.clientHeight) list.scrollTop = (index + 1) * ROW - list.clientHeight;
  requestAnimationFrame(() => list.querySelector('[aria-current=true]')?.focus({ preventScroll: true }));
}

function Row({ row }) {
  const isChosen = chosen.value?.number === row.number;
  return html`<li>
    <button class="row" aria-current=${isChosen} onClick=${() => keep({ decision: String(row.number) })}>
      <span class="time">${timeText(row.time)}</span>
      <${Verdict} kind=${kindOf(row)}>${row.status ?? '–'}<//>
      <span class="method">${row.method}</span>
      <span class="path">${row.path}</span>
      <span class="code" lang="en">${row.code === 'forwarded' ? (row.route ?? '') : row.code}</span>
      <span class="who">${row.client ?? row.subject ?? ''}</span>
    </button>
  </li>`;
}

function Hint() {
  return html`<section class="details empty"><p>${words.choose}</p></section>`;
}

function Details({ record }) {
  const question = questionOf(record);
  return html`<section class="details" aria-label=${words.decision} tabindex="0">
    <h2><${Verdict} kind=${kindOf(record)}>${record.status ?? '–'}<//> ${record.method} ${record.path}</h2>
    <p class="actions">
      <a href=${addressOf('playground', question)} onClick=${(event) => follow(event, 'playground', question)}>${words.playground}</a>
      <button class="link" onClick=${() => keep({ decision: '' })}>${words.close}</button>
    </p>
    <${Steps} steps=${record.steps} />
    <${Remedy} record=${record} />
    <${Facts} rows=${factsOf(record)} />
  </section>`;
}

/** The same request. It has no credential and no query, because the record has neither. */
function questionOf({ method, host, path, scope_held: held, client, subject, mcp_method: mcp, mcp_name: name }) {
  const operation = mcp === undefined ? undefined : [mcp, name].filter(Boolean).join(' ');
  const scope =
    held === undefined && client === undefined && subject === undefined ? undefined : (held ?? []).join(' ');
  const url = host === undefined ? path : `http://${host}${path}`;
  return { method, url, mcp: operation, as: scope === undefined ? undefined : 'scope', scope };
}

const shown = [
  'code',
  'reason',
  'detail',
  'route',
  'at',
  'client',
  'subject',
  'scope_needed',
  'scope_held',
  'scope_missing',
  'claim',
  'found',
  'expected',
  'difference',
  'dependency',
  'shadow',
  'mcp_method',
  'mcp_name',
  'mcp_rule',
  'host',
  'address',
  'via',
  'certificate',
  'user_agent',
  'cache',
  'milliseconds',
  'verification_ms',
  'upstream_ms',
  'upstream_attempts',
  'bytes_in',
  'bytes_out',
  'request_id',
  'trace_id',
  'process',
];

function factsOf(record) {
  return shown.map((name) => [name, Array.isArray(record[name]) ? record[name].join(' ') : record[name]]);
}

/** The YAML that would let the request pass, as `gatehouse shadow report` writes it. */
function Remedy({ record }) {
  const isRefused = kindOf(record) === 'refuse' || record.shadow !== undefined;
  useEffect(() => {
    if (isRefused && remedies.value.number !== record.number) void fetchRemedy(record);
  }, [record.number]);
  const { number, yaml } = remedies.value;
  if (!isRefused || number !== record.number || !yaml) return null;
  return html`<details class="remedy"><summary>${words.remedy}</summary><pre lang="en">${yaml}</pre></details>`;
}

async function fetchRemedy(record) {
  const told = await remedying.ask('/api/remedy', { record });
  if (told !== undefined) remedies.value = { number: record.number, yaml: told.ok ? told.answer.yaml : undefined };
}

const opened = signal({});
const opening = onlyLast();

function openedOf({ ok, answer }) {
  return ok ? { record: answer } : { fault: words.ticketFaults[answer.error] ?? faultOf(answer) };
}

/** The ticket of a refusal. It stays out of the address, because it may name a person. */
function Ticket() {
  const input = useRef(null);
  const open = async (event) => {
    event.preventDefault();
    const told = await opening.ask('/api/ticket', { ticket: input.current.value });
    if (told !== undefined) opened.value = openedOf(told);
  };
  const { record, fault } = opened.value;
  return html`<form class="line ticket" onSubmit=${open}>
    <label for="ticket">${words.ticket}</label>
    <input id="ticket" ref=${input} autocomplete="off" spellcheck=${false} required />
    <button class="quiet">${words.open}</button>
    <${Alert} text=${fault} />
    ${record === undefined ? null : html`<${OpenedTicket} record=${record} />`}
  </form>`;
}

function OpenedTicket({ record: { text, remedy, ...facts } }) {
  return html`<div>
    ${text === undefined ? null : html`<p>${english(text)}</p>`}
    ${remedy === undefined ? null : html`<p><strong>${words.toDo}</strong> ${english(remedy)}</p>`}
    <${Facts} rows=${Object.entries(facts).map(([name, value]) => [name, textOf(value)])} />
  </div>`;
}

function textOf(value) {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
