import { chmodSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { stringify } from 'yaml';
import { type Diagnosis, diagnose } from '../../src/commands/doctor/diagnose.ts';
import type { DoctorFinding, Verdict } from '../../src/commands/doctor/finding.ts';
import { command } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { serving } from '../support/serving.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export interface Doctored {
  readonly status: number | null;
  readonly findings: readonly DoctorFinding[];
  /** Findings about a thing whose name begins with this, as `verdict: message`. */
  about(name: string): readonly string[];
}

export type How = Parameters<typeof command>[2];

/** A folder with a configuration file that only its owner can read, deleted after the test. */
export function fileIn(t: Test, name: string, body: object, more: Readonly<Record<string, string>> = {}): string {
  const directory = temporaryFolder(t);
  const file = join(directory, name);
  for (const [other, text] of Object.entries(more)) writeFileSync(join(directory, other), text, { mode: 0o600 });
  writeFileSync(file, stringify({ version: 1, ...body }));
  chmodSync(file, 0o600);
  return file;
}

/** What the doctor finds: in this process, or with `how` in a process of its own, as `gatehouse doctor --json` prints it. */
export async function doctored(t: Test, file: string, how?: How): Promise<Doctored> {
  const { status, stdout } = how === undefined ? await diagnosed(file) : await run(t, file, how);
  const { findings } = JSON.parse(stdout) as Diagnosis;
  const about = (name: string) =>
    findings.filter((each) => each.about.startsWith(name)).map(({ verdict, message }) => `${verdict}: ${message}`);
  return { status, findings, about };
}

async function diagnosed(file: string) {
  const diagnosis = await diagnose(file);
  return { status: diagnosis.ok ? 0 : 1, stdout: JSON.stringify(diagnosis) };
}

async function run(t: Test, file: string, how: How) {
  const ended = await command(t, ['doctor', '--config', file, '--json'], how).ended();
  if (ended.stderr !== '') throw new Error(ended.stderr);
  return ended;
}

/** Whether a finding with this verdict and these words exists; a finding that is not fine has a remedy. */
export function expectSeen(t: Test, { findings }: Doctored, name: string, verdict: Verdict, words: RegExp): void {
  const seen = findings.filter(({ about }) => about.startsWith(name));
  const found = seen.find((each) => each.verdict === verdict && words.test(each.message));
  t.ok(found, `${name}: ${verdict}, ${words}`, { found: seen, bad: findings.filter((each) => each.verdict === 'bad') });
  if (verdict !== 'good') t.type(found?.remedy, 'string', `${name} has a remedy`);
}

export const vector = (name: string) => fileURLToPath(new URL(`../vectors/tls/${name}`, import.meta.url));
export const secret = 'cs_gateway-secret-of-32-bytes-or-more';
export const audience = 'https://api.example.com';

/** A running authorization service with two gateway clients: one with all rights, and one with few. */
export async function authorization(t: Test) {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const gateway = { client_id: 'gateway', client_secret: secret, grant_types: [], introspect: true, events: true };
  const clients = [gateway, { client_id: 'plain', client_secret: secret, grant_types: [], introspect: true }];
  const body = { issuer, listen: `127.0.0.1:${port}`, storage: 'sqlite:a.db', resources: [audience], clients };
  const file = fileIn(t, 'authorization.yaml', { ...body, log: { format: 'json' } });
  const running = command(t, ['authorization', '--config', file]);
  if (!(await running.prints('is ready'))) throw new Error(running.stdout() + running.stderr());
  return { issuer, port, storage: `sqlite:${join(dirname(file), 'a.db')}`, directory: dirname(file) };
}

export const main = (issuer: string, changes: object = {}) => ({
  issuer,
  client_id: 'gateway',
  client_secret: secret,
  audience,
  ...changes,
});

export const routes = [{ match: { path: '/a' }, scope: 'a' }];

export async function listeners(): Promise<object> {
  return { listen: `127.0.0.1:${await freePort()}`, health: `127.0.0.1:${await freePort()}` };
}

export const api = (t: Test) =>
  serving(
    t,
    createServer((_request, response) => response.end('ok')),
  );

export async function withServer(t: Test, server: object, more: object = {}): Promise<string> {
  return fileIn(t, 'gateway.yaml', {
    ...(await listeners()),
    upstreams: { api: { url: await api(t) } },
    defaults: { upstream: 'api' },
    authorization_servers: { main: server },
    routes,
    ...more,
  });
}
