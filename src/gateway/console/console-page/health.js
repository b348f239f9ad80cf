// Health: authorization servers, upstreams, and graphs of the last 15 minutes.
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ask } from './api.js';
import { Alert, html, numberText, timeText, Verdict } from './ui.js';

/** Milliseconds between two readings. */
const EVERY = 5000;

const health = signal(undefined);
const fault = signal('');

async function read() {
  const { ok, answer } = await ask('/api/health').catch(() => ({ ok: false, answer: {} }));
  fault.value = ok ? '' : 'The gateway does not answer. The page asks again.';
  if (ok) health.value = answer;
}

export function Health() {
  useEffect(() => {
    void read();
    const timer = setInterval(() => document.hidden || void read(), EVERY);
    return () => clearInterval(timer);
  }, []);
  const now = health.value;
  return html`
    <h1>Health</h1>
    <${Alert} text=${fault.value} />
    ${now === undefined ? html`<p class="quiet-text">Reading …</p>` : html`<${State} now=${now} /><${Graphs} points=${now.points} /><${Servers} servers=${now.servers} /><${Upstreams} upstreams=${now.upstreams} />`}
  `;
}

function State({ now: { gateway, workers, not_ready: fault, remark, last_reload: last, reload_failed: failed } }) {
  return html`<p class="bar" role="status">
    ${fault === null ? html`<${Verdict} kind="pass">ready<//>` : html`<${Verdict} kind="fail">not ready<//> ${[fault.reason, fault.cause].filter(Boolean).join(': ')}`}
    <span>${gateway}${workers > 0 ? `, ${workers} workers` : ''}</span>
    <span class="quiet-text">file loaded ${new Date(last).toLocaleDateString()} ${timeText(last)}</span>
    ${failed ? html`<${Verdict} kind="fail">the gateway rejected the current file; an older one is active<//>` : null}
    ${remark ? html`<span>${remark}</span>` : null}
  </p>`;
}

const graphs = [
  {
    title: 'Requests a second',
    series: [
      ['passed', '--pass'],
      ['refused', '--refuse'],
      ['failed', '--fail'],
    ],
    unit: '/s',
  },
  {
    title: 'Time of a request',
    series: [
      ['p50', '--muted'],
      ['p95', '--accent'],
      ['p99', '--fail'],
    ],
    unit: ' ms',
  },
  { title: "The gateway's own part, p99", series: [['own_p99', '--accent']], unit: ' ms' },
  { title: 'Requests at upstreams', series: [['in_flight', '--accent']], unit: '' },
  { title: 'Memory of all processes', series: [['memory', '--accent']], unit: ' MB', scale: 1 / 1e6 },
];

const words = { own_p99: 'p99', in_flight: 'in flight' };

function Graphs({ points }) {
  if (points.length === 0)
    return html`<p class="quiet-text">The graphs begin now, and continue for 15 minutes after the last visit.</p>`;
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
    <figcaption><b>${graph.title}</b> ${graph.series.map(([name]) => html`<span key=${name} class=${`key ${name}`}>${words[name] ?? name} ${textOf(last[name], graph)}</span>`)}</figcaption>
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
    axes: [axis, { ...axis, size: 56 }],
    scales: { y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.1 : 1] } },
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

function Servers({ servers }) {
  if (servers.length === 0) return null;
  return html`<h2>Authorization servers</h2><div class="scroll" tabindex="0" role="region" aria-label="Authorization servers"><table>
    <thead><tr><th scope="col">Name</th><th scope="col">Age of the keys</th><th scope="col" class="number">Cached tokens</th><th scope="col" class="number">Found in the cache</th><th scope="col" class="number">Introspections</th><th scope="col">Revocation feed</th></tr></thead>
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
        <td class="number">${numberOr(cached)}</td><td class="number">${hits === undefined ? '–' : `${Math.round(hits * 1000) / 10} %`}</td><td class="number">${numberOr(introspections)}</td><td><${Feed} feed=${feed} /></td></tr>`,
    )}</tbody></table></div>`;
}

function numberOr(value) {
  return value === undefined ? '–' : numberText(value);
}

function Feed({ feed }) {
  if (feed === undefined) return 'none';
  const { connected, stale, lag_seconds: lag, revocations } = feed;
  const kind = stale ? 'fail' : connected ? 'pass' : 'refuse';
  const word = stale ? 'stale' : connected ? 'connected' : 'not connected';
  return html`<${Verdict} kind=${kind}>${word}<//> ${lag === undefined ? '' : `${spanOf(lag)} behind, `}${numberOr(revocations)} revocations`;
}

/** Seconds in words of one unit. */
function spanOf(seconds) {
  if (seconds < 1) return 'less than a second';
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

function Upstreams({ upstreams }) {
  if (upstreams.length === 0) return null;
  return html`<h2>Upstreams</h2><div class="scroll" tabindex="0" role="region" aria-label="Upstreams"><table>
    <thead><tr><th scope="col">Upstream</th><th scope="col">URL</th><th scope="col">State</th><th scope="col">Circuit breaker</th><th scope="col" class="number">In flight</th><th scope="col" class="number">Retries</th></tr></thead>
    <tbody>${upstreams.map(
      ({ upstream, url, up, breaker, in_flight: flying, retries }) => html`<tr key=${`${upstream} ${url}`}>
        <th scope="row">${upstream}</th><td><code>${url}</code></td><td><${Verdict} kind=${up ? 'pass' : 'fail'}>${up ? 'healthy' : 'unhealthy'}<//></td>
        <td><${Verdict} kind=${breaker === 'closed' ? 'pass' : 'fail'}>${breaker}<//></td><td class="number">${numberText(flying)}</td><td class="number">${numberText(retries)}</td></tr>`,
    )}</tbody></table></div>`;
}
