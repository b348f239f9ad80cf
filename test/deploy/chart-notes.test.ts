// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this
import { execFile } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { parse, stringify } from 'yaml';
import { skipWithoutHelm } from '../../tools/chart/programs.ts';
import { command } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import {
  authorizationConfig,
  cases,
  chart,
  gatewayConfig,
  type Manifest,
  manifests,
  render,
  rendered,
  valuesOf,
} from './chart.ts';

/** Starts helm for each warning: 20 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

const run = promisify(execFile);
const secret = 'a-secret-of-the-tests-of-the-chart';

/** Helm prints NOTES only with a cluster, so here they are an object of the chart. */
function notedChart(t: Test): string {
  const copy = join(t.testdir(), 'gatehouse');
  cpSync(chart, copy, { recursive: true });
  const file = join(copy, 'templates/NOTES.txt');
  const notes = `{{- define "notes" -}}${readFileSync(file, 'utf8')}{{- end -}}`;
  const object = { apiVersion: 'v1', kind: 'Notes', metadata: { name: 'notes' } };
  writeFileSync(
    join(copy, 'templates/notes.yaml'),
    `${notes}\n${stringify(object)}text: {{ include "notes" . | toJson }}\n`,
  );
  rmSync(file);
  return copy;
}

function notes(objects: readonly Manifest[]): string {
  return objects.find(({ kind }) => kind === 'Notes').text;
}

t.test('the NOTES of every value file are complete text', { skip: skipWithoutHelm }, async (t) => {
  const of = notedChart(t);
  for (const name of cases) {
    const { status, stdout, stderr } = render(['--values', valuesOf(name)], { of });
    t.equal(status, 0, stderr);
    const text = notes(manifests(stdout));
    t.match(text, /^Gatehouse \d/);
    t.notMatch(text, /<no value>|<nil>|map\[|%!/, name);
    t.notMatch(text, /\n\n\n/, name);
  }
});

const proxies = /trusted_proxies is not set. Every client then has the address of the proxy/;
const counters = /No rule of gateway\.networkPolicy\.egress has port 6379, which gateway\.config\.counters needs/;
const ingress = { enabled: true, hosts: ['api.example.com'] };
const egress = (...ports: object[]) => ({ egress: [{ ports }] });
const redis = { ...gatewayConfig, counters: 'redis://redis:6379' };
const behind = { ...gatewayConfig, trusted_proxies: ['10.0.0.0/8'] };
const told = [{ name: 'GATEHOUSE__TRUSTED_PROXIES', value: '10.0.0.0/8' }];
const http = { enabled: true, parentRefs: [{ name: 'public' }] };

/** Rule → values, the warning, and whether NOTES have it. */
const warned: readonly (readonly [string, object, RegExp, boolean])[] = [
  ['an Ingress without trusted_proxies', { gateway: { config: gatewayConfig, ingress } }, proxies, true],
  ['an HTTPRoute without them', { gateway: { config: gatewayConfig, httpRoute: http } }, proxies, true],
  ['an Ingress with them', { gateway: { config: behind, ingress } }, proxies, false],
  ['with them in a variable', { gateway: { config: gatewayConfig, ingress, extraEnv: told } }, proxies, false],
  ['no proxy in front', { gateway: { config: gatewayConfig } }, proxies, false],
  [
    'counters that no rule reaches',
    { gateway: { config: redis, networkPolicy: egress({ port: 443 }) } },
    counters,
    true,
  ],
  [
    'a rule for UDP',
    { gateway: { config: redis, networkPolicy: egress({ port: 6379, protocol: 'UDP' }) } },
    counters,
    true,
  ],
  ['a rule with the port', { gateway: { config: redis, networkPolicy: egress({ port: 6379 }) } }, counters, false],
  [
    'a range with it',
    { gateway: { config: redis, networkPolicy: egress({ port: 6000, endPort: 7000 }) } },
    counters,
    false,
  ],
  ['a rule for every port', { gateway: { config: redis, networkPolicy: { egress: [{ to: [] }] } } }, counters, false],
  ['no rule at all', { gateway: { config: redis } }, counters, false],
  [
    'another port in the URL',
    {
      gateway: { config: { ...redis, counters: 'rediss://:${P}@redis:6380/1' }, networkPolicy: egress({ port: 6379 }) },
    },
    /has port 6380/,
    true,
  ],
  [
    'a database that no rule reaches',
    {
      mode: 'authorization',
      authorization: {
        config: { ...authorizationConfig, storage: 'postgres://a@db/c' },
        networkPolicy: egress({ port: 1 }),
      },
    },
    /egress has port 5432, which authorization\.config\.storage needs/,
    true,
  ],
  [
    'a port of the application that the policy closes',
    {
      mode: 'sidecar',
      sidecar: { containers: [{ name: 'orders', ports: [{ containerPort: 9000 }, { containerPort: 9102 }] }] },
      gateway: { config: gatewayConfig },
    },
    /closes port 9102 of the container orders: add a rule to sidecar\.networkPolicy\.ingress/,
    true,
  ],
  [
    'a ServiceMonitor that no Prometheus selects',
    { metrics: { serviceMonitor: { enabled: true } }, gateway: { config: gatewayConfig } },
    /metrics\.serviceMonitor\.labels is empty/,
    true,
  ],
];

for (const [rule, values, warning, isThere] of warned)
  t.test(`NOTES ${isThere ? 'warn' : 'do not warn'}: ${rule}`, { skip: skipWithoutHelm }, async (t) => {
    const text = notes(rendered(values, notedChart(t)));
    if (isThere) t.match(text, warning);
    else t.notMatch(text, warning);
  });

t.test('of the two requests in NOTES one gets 401 and one 200', { skip: skipWithoutHelm }, async (t) => {
  const of = notedChart(t);
  const { stdout, stderr } = render(['--values', valuesOf('both')], { of });
  t.equal(stderr, '');
  const objects = manifests(stdout);
  const ports = await installed(t, objects);
  const [refused, passed] = await requests(notes(objects), ports);
  t.match(refused, /^HTTP\/1\.1 401 /);
  t.match(refused, /www-authenticate: Bearer .*scope="orders\.read"/i);
  t.match(passed, /^HTTP\/1\.1 200 /);
  t.match(passed, /order 1 for shop/);
});

/** The first request, and the second with the token from the lines before it. */
async function requests(text: string, ports: Readonly<Record<number, number>>): Promise<[string, string]> {
  const lines = text.split('\n').filter((line) => line.startsWith('  ') && !line.includes('port-forward'));
  const [read, ...others] = lines.filter((line) => line.includes('kubectl'));
  if (read === undefined || others.length > 0) throw new Error(`one line reads a secret of the cluster: ${text}`);
  const here = lines.map((line) =>
    line
      .replace(/SECRET=\$\(kubectl .*base64 --decode\)$/, `SECRET=${secret}`)
      .replace(/127\.0\.0\.1:(\d+)/g, (_, port) => `127.0.0.1:${ports[port]}`),
  );
  const [first = '', ...rest] = here;
  const { stdout: refused } = await run('sh', ['-c', first]);
  const { stdout: passed } = await run('sh', ['-c', rest.join('\n')]);
  return [refused, passed];
}

/** The programs of the ConfigMaps, on ports of this machine: port in the pod → port here. */
async function installed(t: Test, objects: readonly Manifest[]): Promise<Record<number, number>> {
  const directory = t.testdir();
  const ports = { 8080: await freePort(), 8081: await freePort() };
  const issuer = `http://127.0.0.1:${ports[8081]}`;
  const upstream = await orders(t);
  for (const [program, port] of [
    ['authorization', ports[8081]],
    ['gateway', ports[8080]],
  ] as const) {
    const data = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.endsWith(program)).data;
    const text = data[`${program}.yaml`]
      .replaceAll('http://try-gatehouse-authorization', issuer)
      .replace(/http:\/\/orders.*/, upstream);
    const { health: _, admin: __, ...config } = parse(text);
    const file = join(directory, `${program}.yaml`);
    const storage = program === 'authorization' ? { storage: 'sqlite:data/try.db' } : {};
    writeFileSync(file, stringify({ ...config, ...storage, listen: `127.0.0.1:${port}` }));
    const started = command(t, [program, '--config', file], { env: { GATEWAY_SECRET: secret, SHOP_SECRET: secret } });
    if (!(await started.prints('"msg"'))) throw new Error(started.stderr());
  }
  return ports;
}

async function orders(t: Test): Promise<string> {
  const server = createServer(({ url, headers }, response) => {
    response.end(`order ${url?.split('/').at(-1)} for ${headers['x-auth-client']}\n`);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
