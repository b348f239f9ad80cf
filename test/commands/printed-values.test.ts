import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { stringify } from 'yaml';
import { command } from '../support/command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { hmacServer } from '../support/tokens.ts';

/** Starts the program for each command: 14 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

/** A line break before a GitHub workflow command, CSI in two spellings, and a character that reverses the line. */
const EVIL = 'x\n::error::pwn\r\u001b[31m\u009b2J\u202eevil\u2066\u007f';
/** Any part of a value in the output. The line feed is the program's own, so the text after it counts. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not come out
const STEERS = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|^\s*::error::pwn/m;

const directory = temporaryFolder(t);
const hostile = join(directory, EVIL);
mkdirSync(hostile);

const gateway = {
  version: 1,
  authorization_servers: hmacServer,
  upstreams: { [EVIL]: { url: 'http://127.0.0.1:9' } },
  defaults: { upstream: EVIL },
  routes: [
    { id: EVIL, match: { path: '/a/{rest*}' }, scope: 'a' },
    { id: 'b', match: { path: '/b', headers: { 'X-A': EVIL.replace('\n', '\u0085') } }, access: 'authenticated' },
  ],
};

function file(name: string, content: object | string): string {
  const path = join(hostile, name);
  writeFileSync(path, typeof content === 'string' ? content : stringify(content));
  return path;
}

const good = file('gateway.yaml', gateway);
const open = file('open.yaml', { ...gateway, routes: [{ ...gateway.routes[0], scope: undefined, access: 'public' }] });
const bad = file('bad.yaml', {
  ...gateway,
  [EVIL]: 1,
  mode: EVIL,
  routes: [...gateway.routes, { match: { path: EVIL, methods: [EVIL] }, upstream: EVIL, [EVIL]: 1, access: EVIL }],
});
const decision = {
  time: 1,
  msg: 'scope_insufficient',
  method: 'GET',
  host: 'h',
  path: `/${EVIL}`,
  route: EVIL,
  code: 'forwarded',
  shadow: 'scope_insufficient',
  client: EVIL,
  subject: EVIL,
  reason: EVIL,
  scope_missing: EVIL,
  scope_held: [EVIL],
  scope_needed: [EVIL],
};
const log = file('gateway.log', `${JSON.stringify(decision)}\n`);
const openApi = file('openapi.yaml', {
  openapi: '3.1.0',
  info: { title: EVIL },
  paths: { '/a': { get: { operationId: EVIL } } },
});
const users = file('users', `${EVIL}:{SHA}x\na:$apr1$x\n`);

const runs: readonly (readonly string[])[] = [
  ['check', bad],
  ['check', '--format', 'github', bad],
  ['check', '--format', 'json', bad],
  ['check', good],
  ['check', join(hostile, 'none')],
  ['routes', '--config', good],
  ['routes', '--json', '--config', good],
  ['routes', '--config', bad],
  ['config', 'show', '--config', good],
  ['config', 'show', '--json', '--config', good],
  ['explain', '--config', good, 'GET', '/a/b', '--scope', EVIL.replace('\n', ' ')],
  ['explain', '--json', '--config', good, 'GET', '/a/b', '--claims', JSON.stringify({ sub: EVIL })],
  ['explain', '--config', good, 'GET', '/a', '--token-file', join(hostile, 'none')],
  ['diff', good, open],
  ['diff', '--json', good, open],
  ['diff', good, open, '--replay', log],
  ['diff', good, open, '--replay', join(hostile, 'none')],
  ['shadow', 'report', log],
  ['shadow', 'report', '--json', log],
  ['shadow', 'report', join(hostile, 'none')],
  ['import', 'openapi', openApi],
  ['import', 'openapi', join(hostile, 'none')],
  ['import', 'htpasswd', users],
  ['gateway', '--config', bad],
  ['authorization', '--config', bad],
];

for (const args of runs) {
  const name = args.map((arg) => arg.replace(hostile, '').slice(0, 30)).join(' ');
  t.test(`no value controls a terminal or begins a line: ${JSON.stringify(name)}`, async (t) => {
    const { stdout, stderr } = await command(t, args).ended();
    t.ok(stdout + stderr !== '', 'it says something');
    for (const text of [stdout, stderr]) t.notMatch(text, STEERS, JSON.stringify(STEERS.exec(text)));
  });
}
