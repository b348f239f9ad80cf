import type { Test } from 'tap';
import { overrideHeaders } from '../../src/config/words/override-headers.ts';
import { ask } from '../support/raw-client.ts';
import { bearer, type RequestText, requestText } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import type { Fronted } from './asked-by.ts';

/** Status and reason of the requests that are not forwarded, on the routes of the pages about proxies. */
export async function refusals(): Promise<Readonly<Record<string, RequestText>>> {
  const read = bearer(await jwt({ scope: 'orders.read' }, { alg: 'HS256' }));
  const expired = bearer(await jwt({ scope: 'orders.read', exp: 1 }, { alg: 'HS256' }));
  const elsewhere = bearer(await jwt({ scope: 'orders.read', aud: 'https://else.example' }, { alg: 'HS256' }));
  const page = ['Origin', 'https://app.example.com'] as const;
  const asked = ['Access-Control-Request-Method', 'GET'] as const;
  return {
    '204 preflight': { method: 'OPTIONS', target: '/orders/1', headers: [page, asked] },
    '200 document': { target: '/.well-known/oauth-protected-resource' },
    '401 no credential': { target: '/orders/1' },
    '401 no credential, from a page': { target: '/orders/1', headers: [page] },
    '401 expired': { target: '/orders/1', headers: [expired] },
    '401 other audience': { target: '/orders/1', headers: [elsewhere] },
    '401 not a token': { target: '/orders/1', headers: [bearer('abc')] },
    '400 malformed': { target: '/orders/1', headers: [['Authorization', 'Bearer a b']] },
    '400 twice': { target: '/orders/1?access_token=x', headers: [read] },
    '400 dot segment': { target: '/catalogue/..%2forders/1', headers: [read] },
    '403 scope': { method: 'POST', target: '/orders/1', headers: [read] },
    '403 scope, from a page': { method: 'POST', target: '/orders/1', headers: [read, page] },
    '404 no route': { target: '/nowhere' },
    '405 method': { method: 'DELETE', target: '/orders/1', headers: [read] },
    '401 HEAD': { method: 'HEAD', target: '/orders/1' },
    '404 with a body': { method: 'POST', target: '/nowhere', body: 'hello' },
  };
}

const forged: readonly (readonly [string, string])[] = [
  ...overrideHeaders.map((name) => [name, 'mallory'] as const),
  ['X-Original-URL', 'https://api.example.com/catalogue/1'],
  ['X-Original-URI', '/catalogue/1'],
  ['X-Original-Method', 'OPTIONS'],
  ['X-Forwarded-Method', 'OPTIONS'],
  ['X-Forwarded-Uri', '/catalogue/1'],
  ['X-Forwarded-Host', 'other.example'],
  ['X-Forwarded-Proto', 'mallory'],
  ['X-Forwarded-For', '6.6.6.6'],
  ['X-Forwarded-Prefix', '/mallory'],
  ['X-Forwarded-Port', '6666'],
  ['X-Forwarded-User', 'mallory'],
  ['X-Real-IP', '6.6.6.6'],
  ['Forwarded', 'for=6.6.6.6;host=mallory'],
  ['X-Auth-Subject', 'mallory'],
  ['x-auth-subject', 'mallory'],
  ['X_Auth_Subject', 'mallory'],
  ['X-Auth_Client', 'mallory'],
  ['X.Auth.Subject', 'mallory'],
  ['X~Auth-Scope', 'mallory'],
  ['X_Original_URL', '/catalogue/1'],
  ['X.Original.URL', '/catalogue/1'],
  ['X_Forwarded_Host', 'other.example'],
  ['X.Forwarded.User', 'mallory'],
  ['X-Auth-Scope', 'admin mallory'],
  ['X-Gatehouse-Status', '200'],
  ['X-Gatehouse-Target', '/mallory'],
  ['X-Gatehouse-Clear', 'mallory'],
  ['X-Request-Id', 'mallory'],
  ['Connection', 'X-Original-URL, X-Forwarded-Uri, X-Auth-Subject'],
];

/**
 * Client headers that name another request, another caller or another answer. The prefix of the identity headers
 * matters if the proxy can remove headers by prefix. `address`: the address that the proxy reports.
 */
export async function spoofed(
  t: Test,
  { send, upstream, gateway }: Fronted,
  address: string | RegExp = '127.0.0.1',
): Promise<void> {
  const read = bearer(await jwt({ scope: 'orders.read' }, { alg: 'HS256' }));
  for (const headers of [...forged.map((each) => [each]), forged]) {
    const what = JSON.stringify(headers);
    t.equal((await send({ target: '/orders/1', headers })).status, 401, what);
    t.equal((await send({ method: 'POST', target: '/orders/1', headers: [read, ...headers] })).status, 403, what);
    t.equal(upstream.seen.length, 0, what);
    t.equal((await send({ target: '/catalogue/1', headers })).status, 200, what);
    const open = upstream.seen.splice(0)[0];
    for (const name of ['x-auth-subject', 'x-auth-client', 'x-auth-scope'])
      t.notOk(open?.header(name), `nobody is known on a public route: ${name} ${what}`);
    t.equal((await send({ target: '/orders/1', headers: [read, ...headers] })).status, 200, what);
    const seen = upstream.seen.splice(0)[0];
    t.strictSame(
      [seen?.target, seen?.header('x-auth-subject'), seen?.header('x-auth-scope')],
      ['/orders/1', 'alice', 'orders.read'],
      what,
    );
    t.notOk(seen?.header('authorization'), what);
    const told = seen?.rawHeaders.filter((_, index, all) =>
      /^(x[^a-z0-9](auth|forwarded|real|original|rewrite|override|http|method)|forwarded)/i.test(
        all[index - (index % 2)] ?? '',
      ),
    );
    t.notMatch(JSON.stringify(told), /mallory|6\.6\.6\.6|6666|catalogue|OPTIONS|other\.example/, what);
  }
  const addresses = gateway.log.flatMap((record) => ('via' in record ? [record.address] : []));
  t.equal(new Set(addresses).size, 1);
  t.match(addresses[0], address, 'and the address is that of the connection');
}

const spellings = [
  '/catalogue/../orders/1',
  '/catalogue/./1',
  '/catalogue/%2e%2e/orders/1',
  '/catalogue/.%2e/orders/1',
  '/catalogue/..%2forders/1',
  '/catalogue/..%2Forders/1',
  '/catalogue/..;/orders/1',
  '/catalogue/..%3b/orders/1',
  '/catalogue/..%5corders/1',
  '/catalogue/..\\orders/1',
  '/catalogue//../orders/1',
  '//catalogue/1',
  '//orders/1',
  '//api.example.com/orders/1',
  '/catalogue//1',
  '/catalogue/a%2fb',
  '/catalogue/a;b=c',
  '/catalogue/%252e%252e/orders/1',
  '/catalogue/%c0%ae%c0%ae/orders/1',
  '/catalogue/%',
  '/catalogue/%zz',
  '/catalogue/%00',
  '/catalogue/1#/orders',
  '/catalogue/1%23/orders',
  '/catalogue/1%3f/orders',
  '/catalogue/1?/../orders',
  '/catalogue%2f1',
  '/%63atalogue/1',
  '/%6frders/1',
  '/orders%2f1',
  '/ORDERS/1',
  '/orders/1/',
  '/orders/1?x=/catalogue/1',
  '/orders/1?x=%2e%2e',
  '/catalogue/1?a=b;c=d',
  '/orders/%e2%82%ac',
  'http://api.example.com/orders/1',
  'http://api.example.com/catalogue/1',
  'http://api.example.com//orders/1',
];

export interface Forwarding {
  /** The target that the proxy sends to the decision endpoint. */
  readonly asks?: (target: string) => string;
  /** The proxy forwards this spelling, not the one that the gateway would forward. */
  readonly asAsked?: boolean;
}

/**
 * A path that passes at the gateway arrives there byte for byte. A path that is refused there passes through no proxy.
 */
export async function crossings(
  t: Test,
  { send, direct, upstream }: Fronted,
  { asks = (target) => target, asAsked = false }: Forwarding = {},
): Promise<void> {
  for (const target of spellings) {
    const own = await direct({ target: asks(target) });
    const there = upstream.seen.splice(0)[0];
    const through = await send({ target });
    const seen = upstream.seen.splice(0)[0];
    // A proxy may refuse a message itself, with its own 400.
    if (through.status !== 400) t.equal(through.status, own.status, target);
    else t.not(own.status, 200, target);
    t.equal(seen?.target, there && asAsked ? originForm(asks(target)) : there?.target, target);
  }
}

function originForm(target: string): string {
  return target.replace(/^http:\/\/[^/]+/, '');
}

/** If Host and the target name two hosts, the upstream sees the one that was judged. */
export async function twoHosts(t: Test, { proxy, upstream, gateway }: Fronted): Promise<void> {
  await ask(proxy.port, requestText({ target: 'http://other.example/catalogue/1' }));
  const judged = gateway.log.filter((record) => 'via' in record).at(-1);
  t.strictSame(
    upstream.seen.map((seen) => seen.header('host')),
    judged?.host === 'other.example' ? ['other.example'] : [],
  );
}
