// Health: authorization servers, upstreams, and graphs of the last 15 minutes.
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { inOrder } from './api.js';
import { countText, dayText, fill, minuteText, numberText, percentText, texts, timeText } from './language.js';
import { Alert, english, html, Verdict } from './ui.js';

const words = texts.health;

/** Milliseconds between two readings. */
const EVERY = 5000;

const health = signal(undefined);
const fault = signal('');

const askHealth = inOrder('/api/health');

async function read() {
  const told = await askHealth();
  if (told === undefined) return;
  fault.value = told.ok ? '' : texts.frame.silent;
  if (told.ok) health.value = told.answer;
}

export function Health() {
  useEffect(() => {
    void read();
    const timer = setInterval(() => document.hidden || void read(), EVERY);
    return () => clearInterval(timer);
  }, []);
  const now = health.value;
  return html`
    <h1>${words.title}</h1>
    <${Alert} text=${fault.value} />
    ${now === undefined ? html`<p class="quiet-text">${words.reading}</p>` : html`<${State} now=${now} /><${Graphs} points=${now.points} /><${Servers} servers=${now.servers} /><${Upstreams} upstreams=${now.upstreams} />`}
  `;
}

function State({
  now: {
    gateway,
    workers,
    not_ready: fault,
    remark,
    last_reload: last,
    reload_failed: failed,
    reload_waiting: waiting,
  },
}) {
  return html`<p class="bar" role="status">
    ${fault === null ? html`<${Verdict} kind="pass">${words.ready}<//>` : html`<${Verdict} kind="fail">${words.notReady}<//> ${english([fault.reason, fault.cause].filter(Boolean).join(': '))}`}
    <span>${gateway}${workers > 0 ? `, ${countText(words.workers, workers)}` : ''}</span>
    <span class="quiet-text">${fill(words.loaded, { time: `${dayText(last)} ${timeText(last)}` })}</span>
    ${failed && !waiting ? html`<${Verdict} kind="fail">${words.rejected}<//>` : null}
    ${waiting ? html`<${Verdict} kind="refuse">${words.waiting}<//>` : null}
    ${remark ? html`<span lang="en">${remark}</span>` : null}
  </p>`;
}

const graphs = [
  {
    title: words.graphs.requests,
    series: [
      ['passed', '--pass'],
      ['refused', '--refuse'],
      ['failed', '--fail'],
    ],
    unit: '/s',
  },
  {
    title: words.graphs.time,
    series: [
      ['p50', '--muted'],
      ['p95', '--accent'],
      ['p99', '--fail'],
    ],
    unit: ' ms',
  },
  { title: words.graphs.own, series: [['own_p99', '--accent']], unit: ' ms' },
  { title: words.graphs.upstreams, series: [['in_flight', '--accent']], unit: '' },
  { title: words.graphs.memory, series: [['memory', '--accent']], unit: ' MB', scale: 1 / 1e6 },
];

const names = { ...words.series, own_p99: 'p99' };

function Graphs({ points }) {
  if (points.length === 0) return html`<p class="quiet-text">${words.begin}</p>`;
  return html`<div class="graphs">${graphs.map((graph) => html`<${Graph} key=${graph.title} graph=${graph} points=${points} />`)}</div>`;
}

function Graph({ graph, points }) {
  const box = useRef(null);
  const plot = useRef(null);
  useEffect(() => {
    const holder = box.current;
    const draw = () => {
      plot.current?.destroy();
      plot.current = new globalThis.uPlot(optionsOf(graph, holder.clientWidth), columns(graph, points), holder);
    };
    draw();
    const fit = new ResizeObserver(() => plot.current.setSize({ width: holder.clientWidth, height: 160 }));
    fit.observe(holder);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', draw);
    return () => {
      fit.disconnect();
      dark.removeEventListener('change', draw);
      plot.current?.destroy();
    };
  }, []);
  useEffect(() => plot.current.setData(columns(graph, points)), [points]);
  const last = points.at(-1);
  return html`<figure>
    <figcaption><b>${graph.title}</b> ${graph.series.map(([name]) => html`<span key=${name} class=${`key ${name}`}>${names[name] ?? name} ${textOf(last[name], graph)}</span>`)}</figcaption>
    <div ref=${box} aria-hidden="true"></div>
  </figure>`;
}

function textOf(value, { unit, scale = 1 }) {
  return value === undefined || value === null ? '–' : `${numberText(Math.round(value * scale * 10) / 10)}${unit}`;
}

function columns({ series, scale = 1 }, points) {
  return [
    points.map(({ time }) => time / 1000),
    ...series.map(([name]) => points.map((point) => (point[name] === undefined ? null : point[name] * scale))),
  ];
}

function optionsOf({ series }, width) {
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
  const axis = {
    stroke: color('--muted'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { stroke: color('--line') },
  };
  return {
    width,
    height: 160,
    legend: { show: false },
    cursor: { show: false },
    axes: [
      { ...axis, size: 32, space: 80, values: timesOf },
      { ...axis, size: 56, values: (_plot, values) => values.map(numberText) },
    ],
    // One point alone would get an axis of years.
    scales: {
      x: { range: (_plot, low, high) => [Math.min(low, high - 60), high] },
      y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.1 : 1] },
    },
    series: [
      {},
      ...series.map(([name, stroke]) => ({
        label: name,
        stroke: color(stroke),
        width: 2,
        points: { show: false },
        spanGaps: true,
      })),
    ],
  };
}

/** Seconds are shown only where two marks are less than a minute apart. */
function timesOf(_plot, seconds, _axis, _space, distance) {
  return seconds.map((each) => (distance < 60 ? timeText : minuteText)(each * 1000));
}

function Servers({ servers }) {
  if (servers.length === 0) return null;
  return html`<h2>${words.servers}</h2><div class="scroll" tabindex="0" role="region" aria-label=${words.servers}><table>
    <thead><tr><th scope="col">${words.name}</th><th scope="col">${words.keysAge}</th><th scope="col" class="number">${words.cached}</th><th scope="col" class="number">${words.hits}</th><th scope="col" class="number">${words.introspections}</th><th scope="col">${words.feed}</th></tr></thead>
    <tbody>${servers.map(
      ({
        name,
        issuer,
        keys_age_seconds: age,
        cached_tokens: cached,
        cache_hits: hits,
        introspections,
        feed,
      }) => html`<tr key=${name}>
        <th scope="row">${name}<br /><span class="quiet-text">${issuer}</span></th><td>${age === undefined ? '–' : spanOf(age)}</td>
        <td class="number">${numberOr(cached)}</td><td class="number">${hits === undefined ? '–' : percentText(hits)}</td><td class="number">${numberOr(introspections)}</td><td><${Feed} feed=${feed} /></td></tr>`,
    )}</tbody></table></div>`;
}

function numberOr(value) {
  return value === undefined ? '–' : numberText(value);
}

function Feed({ feed }) {
  if (feed === undefined) return words.noFeed;
  const { connected, stale, lag_seconds: lag, revocations } = feed;
  const kind = stale ? 'fail' : connected ? 'pass' : 'refuse';
  const word = stale ? words.stale : connected ? words.connected : words.notConnected;
  return html`<${Verdict} kind=${kind}>${word}<//> ${[lag === undefined ? '' : fill(words.behind, { span: spanOf(lag) }), countText(words.revocations, revocations ?? 0)].filter(Boolean).join(', ')}`;
}

/** Seconds in words of one unit. */
function spanOf(seconds) {
  if (seconds < 1) return words.underSecond;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

function Upstreams({ upstreams }) {
  if (upstreams.length === 0) return null;
  return html`<h2>${words.upstreams}</h2><div class="scroll" tabindex="0" role="region" aria-label=${words.upstreams}><table>
    <thead><tr><th scope="col">${words.upstream}</th><th scope="col">URL</th><th scope="col">${words.state}</th><th scope="col">${words.breaker}</th><th scope="col" class="number">${words.inFlight}</th><th scope="col" class="number">${words.retries}</th></tr></thead>
    <tbody>${upstreams.map(
      ({ upstream, url, up, breaker, in_flight: flying, retries }) => html`<tr key=${`${upstream} ${url}`}>
        <th scope="row">${upstream}</th><td><code>${url}</code></td><td><${Verdict} kind=${up ? 'pass' : 'fail'}>${up ? words.healthy : words.unhealthy}<//></td>
        <td><${Verdict} kind=${breaker === 'closed' ? 'pass' : 'fail'}>${english(breaker)}<//></td><td class="number">${numberText(flying)}</td><td class="number">${numberText(retries)}</td></tr>`,
    )}</tbody></table></div>`;
}
