import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { parse } from 'yaml';
import { codeGroups } from '../../src/gateway/message/codes.ts';
import { oauthErrors } from '../../src/oauth/errors.ts';
import { dashboardQueries } from '../../tools/chart/dashboard.ts';
import { behind, gateway } from '../support/gateway.ts';
import { witness } from '../support/witness.ts';
import { chart } from './chart.ts';

const alerts: readonly { alert: string; expr: string; annotations: Record<string, string> }[] = parse(
  readFileSync(join(chart, 'files/alerts.yaml'), 'utf8'),
);
const queries: readonly string[] = [...alerts.map(({ expr }) => expr), ...dashboardQueries];

const src = fileURLToPath(new URL('../../src', import.meta.url));
const source = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(join(src, file), 'utf8'))
  .join('\n');

const [COUNTED, SUFFIX] = ['gatehouse_authorization_', /_(bucket|sum|count)$/];

t.test('alerts and dashboard query metrics that the programs have', async (t) => {
  const names = new Set(queries.flatMap((query) => query.match(/gatehouse_[a-z_]+/g) ?? []));
  t.ok(names.size > 15);
  for (const name of names) {
    const base = name.replace(SUFFIX, '');
    const isNamed = source.includes(`'${base}'`);
    const isCounted = base.startsWith(COUNTED) && source.includes(`counter('${base.slice(COUNTED.length)}'`);
    t.ok(isNamed || isCounted, name);
  }
});

t.test('alerts and dashboard query labels and codes that these metrics have', async (t) => {
  const codes = Object.values(codeGroups).flatMap((group) => Object.keys(group));
  const known: Readonly<Record<string, readonly string[]>> = {
    code: [...codes, 'forwarded'],
    status_class: ['1xx', '2xx', '3xx', '4xx', '5xx', 'none'],
    outcome: [...Object.keys(oauthErrors), 'ok'],
  };
  for (const [, label = '', , wanted = ''] of queries.join('\n').matchAll(/(\w+)(=~|!=|=)"([^"]*)"/g)) {
    if (label in known)
      t.ok(
        known[label]?.some((code) => new RegExp(`^(?:${wanted})$`).test(code)),
        `${label} ${wanted}`,
      );
    else t.ok(['namespace', 'job'].includes(label), `${label} is of Prometheus`);
  }
  for (const [, labels = ''] of queries.join('\n').matchAll(/by \(([^)]*)\)/g))
    for (const label of labels.split(', '))
      t.ok(['le', 'namespace', 'job'].includes(label) || source.includes(`'${label}'`), `by ${label}`);
});

t.test('the metrics that the dashboard reads from a gateway exist once it has served requests', async (t) => {
  const upstream = await witness(t);
  const { port, healthPort } = await started(t, upstream.url);
  await fetch(`http://127.0.0.1:${port}/public/a`).then((answer) => answer.text());
  const metrics = await fetch(`http://127.0.0.1:${healthPort}/metrics`).then((answer) => answer.text());
  const asked = new Set(dashboardQueries.flatMap((query) => query.match(/gatehouse_[a-z_]+/g) ?? []));
  for (const name of asked)
    if (!name.startsWith(COUNTED)) t.match(metrics, `# TYPE ${name.replace(SUFFIX, '')} `, name);
});

t.test(
  'an API that answers 5xx counts as failing, like one that is unreachable, and one that answers 404 does not',
  async (t) => {
    const failing = alerts.find(({ alert }) => alert === 'GatehouseUpstreamFailing');
    const [selected = '', all = ''] = failing?.expr.match(/gatehouse_requests_total(?:\{[^}]*\})?/g) ?? [];
    const upstream = await witness(t);
    const running = await gateway(t, behind(upstream.url, { admin: '127.0.0.1:0' }));
    const counted = async () => {
      const text = await (await fetch(`${running.adminUrl}/metrics`)).text();
      return [matching(text, selected), matching(text, all)];
    };
    for (const status of [200, 301, 404]) {
      upstream.behave({ status });
      await fetch(`${running.url}/public/a`, { redirect: 'manual' });
    }
    t.strictSame(await counted(), [0, 3]);
    for (const status of [500, 503]) {
      upstream.behave({ status });
      await fetch(`${running.url}/public/a`);
    }
    t.strictSame(await counted(), [2, 5]);
    upstream.behave((_request, response) => response.socket?.destroy());
    await fetch(`${running.url}/public/a`, { method: 'POST' });
    t.strictSame(await counted(), [3, 6]);
  },
);

t.test('every code whose cause is an upstream has a 5xx status, by which the alert counts it', async (t) => {
  const entries = Object.values(codeGroups).flatMap((group) => Object.entries(group));
  const blamed = entries.filter(([code]) => code.startsWith('upstream_'));
  t.ok(blamed.length > 5);
  for (const [code, { status }] of blamed) t.ok(status >= 500, code);
});

t.test('an alert says what it means and what to check', async (t) => {
  for (const { alert, annotations } of alerts) {
    t.match(alert, /^Gatehouse[A-Z]/);
    t.ok(annotations.summary && annotations.description, alert);
  }
});

/** The sum of the samples that a PromQL selector matches. */
function matching(text: string, selector: string): number {
  const [name = '', ...rest] = selector.split(/(?=\{)/);
  const wanted = [...rest.join('').matchAll(/(\w+)(=~|=)"([^"]*)"/g)].map(
    ([, label, operator, value = '']) =>
      new RegExp(`[{,]${label}="${operator === '=' ? RegExp.escape(value) : `(?:${value})`}"[,}]`),
  );
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) && wanted.every((each) => each.test(line)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}

async function started(t: Test, url: string): Promise<{ port: number; healthPort: number }> {
  const { port, healthUrl } = await gateway(t, behind(url, { health: '127.0.0.1:0' }));
  return { port, healthPort: Number(new URL(healthUrl ?? '').port) };
}
