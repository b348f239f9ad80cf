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
import { cases, chart, type Manifest, manifests, render, valuesOf } from './chart.ts';

const run = promisify(execFile);
const secret = 'a-secret-of-the-tests-of-the-chart';

/** Helm prints NOTES only where there is a cluster, so here they are an object of the chart. */
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

t.test('NOTES of every value file are text without a hole', { skip: skipWithoutHelm }, async (t) => {
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

t.test('of the requests that NOTES print one gets 401 and one 200', { skip: skipWithoutHelm }, async (t) => {
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

/** The first request, and the second with the token that the lines before it get. */
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

/** The programs that the ConfigMaps describe, on ports of this machine: port in the pod → port here. */
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
