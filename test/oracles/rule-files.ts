import { hmacServer } from '../support/tokens.ts';

/** Rules side by side: wide and weak beside narrow and strict, and the reverse. */
export interface RuleFile {
  readonly name: string;
  readonly routes: readonly object[];
  /** Of the upstream. */
  readonly upstream?: object;
  /** What clients send as Host. */
  readonly hosts: readonly string[];
  /**
   * A path in the weak part, with its slash, and one in the strict part without its first slash: for the lists of
   * traversals.
   */
  readonly weak: string;
  readonly strict: string;
  /** The share of its requests with a header or query parameter that may decide, from 0 to 1. */
  readonly fielded: number;
  /** Sent by every caller in every run. */
  readonly always: readonly string[];
  /** The upstream ignores the case of paths, as `case_sensitive: false` says. */
  readonly readsWithoutCase: boolean;
  /** A route has `encoded_slashes: keep` and `path_parameters: keep`. */
  readonly keeps: boolean;
}

const read = { scope: 'read' };
const admin = { scope: 'admin' };
const open = { access: 'public' };
const at = (path: string, rule: object, match: object = {}) => ({ match: { path, ...match }, ...rule });

const API = ['api.example.com'];
const base = { hosts: API, weak: '/v1/', fielded: 0.25, always: [], readsWithoutCase: false, keeps: false };

const literals: RuleFile = {
  ...base,
  name: 'literals',
  always: [
    '/v1/users%3Apurge',
    '/v1/%40admin',
    '/v1/items%281%29',
    '/v1/users:purge%20',
    '/v1/users:purge%3F',
    '/v1/users:purge%23x',
    '/v1/users:purge;x',
    '/v1/users:purge%3B',
    '/v1/..%09/admin/x',
    '/v1/.%09./admin/x',
    '/v1/%0d%0a../admin/x',
    '/v1/status%3F',
    '/v1/k%3Dv/%23x',
    '/v1/k%3Dv/%20',
    '/v1/x%3Fy/%40keys',
    '/v1/x%23y/%40keys',
    '/v1/%20/%40keys%3Fx',
    '/v1/%20/%40keys%20',
    '/v1/x%20/%40keys%3F',
    '/v1/%20/~keys%3F',
  ],
  strict: 'v1/users:purge',
  routes: [
    at('/v1/{rest*}', read),
    at('/v1/users:purge', admin),
    at('/v1/@admin', admin),
    at('/v1/@admin/{rest*}', admin),
    at('/v1/items(1)', admin),
    at('/v1/$batch', admin),
    at("/v1/o'neil/{rest*}", admin),
    at('/v1/a,b', admin),
    at('/v1/k=v/{id}', admin),
    at('/v1/c++', admin),
    at('/v1/delete!', admin),
    at('/v1/x&y', admin),
    at('/v1/{id}/~keys', admin),
    at('/v1/{id}/@keys', admin),
    at('/v1/{id}/status', open),
    at('/admin/{rest*}', admin),
    at('/admin/help!', open),
    at('/{rest*}', open),
  ],
};

const conditions: RuleFile = {
  ...base,
  name: 'conditions',
  fielded: 0.8,
  always: ['/both?op=delete', '/jobs/1?OP=delete', '/jobs/1?op=delete'],
  weak: '/pay/',
  strict: 'run/all',
  routes: [
    at('/pay/{rest*}', read),
    at('/pay/{rest*}', admin, { headers: { 'X-Env': 'prod' } }),
    at('/test/{rest*}', admin),
    at('/test/{rest*}', read, { headers: { 'X-Env': 'sandbox' } }),
    at('/jobs/{rest*}', open),
    at('/jobs/{rest*}', admin, { query: { op: 'delete' } }),
    at('/run/{rest*}', admin),
    at('/run/{rest*}', read, { query: { op: 'list' } }),
    at('/both', read),
    at('/both', admin, { headers: { 'X-Env': 'prod' }, query: { op: 'delete' } }),
  ],
};

const hosts: RuleFile = {
  ...base,
  name: 'hosts',
  always: ['/keys%3Arotate', '/v1/keys%2F1', '/help'],
  strict: 'v1/keys/1',
  hosts: [
    'api.example.com',
    'API.example.com',
    'api.example.com:8080',
    'admin.example.com',
    'Admin.Example.Com.',
    'admin.example.com:443',
    'acme.api.example.com',
    'acme.API.example.com.:80',
    '[::1]',
    '[0:0:0:0:0:0:0:1]:80',
    '[0::1]',
    '127.0.0.1',
    '127.0.0.1:80',
    '127.1',
    '0x7f.0.0.1',
    '2130706433',
    '127.0.0.1.',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    'admin%2eexample.com',
    'admin.example.com:0443',
    'admin.example.com:',
    'other.example',
  ],
  routes: [
    at('/{rest*}', admin, { host: 'admin.example.com' }),
    at('/help', open, { host: 'admin.example.com' }),
    at('/{rest*}', read, { host: '{tenant}.api.example.com' }),
    at('/keys:rotate', admin, { host: '{tenant}.api.example.com' }),
    at('/{rest*}', admin, { host: '[::1]' }),
    at('/{rest*}', admin, { host: '127.0.0.1' }),
    at('/{rest*}', admin, { host: '[::ffff:127.0.0.1]' }),
    at('/v1/{rest*}', open),
    at('/v1/keys/{id}', admin),
    at('/keys:rotate', admin),
    at('/{rest*}', read),
  ],
};

const spellings: RuleFile = {
  ...base,
  name: 'spellings',
  always: ['/ci/CAF%C3%89/menu', '/ci/secret%20', '/ci/%73ecret', '/ci/what', '/ci/what%3F', '/ci/two%20words%20'],
  weak: '/ci/',
  strict: 'ci/caf%C3%A9/menu',
  readsWithoutCase: true,
  upstream: { case_sensitive: false },
  routes: [
    at('/ci/{rest*}', open),
    at('/ci/caf%C3%A9/{rest*}', admin),
    at('/ci/stra%C3%9Fe', admin),
    at('/ci/K', admin),
    at('/ci/Reports/', admin),
    at('/ci/Reports', read),
    at('/ci/secret', admin),
    at('/ci/what', admin),
    at('/ci/two%20words', admin),
    at('/ci/50%25', admin),
    at('/{one}/{two}/', read),
    at('/{rest*}', read),
  ],
};

const kept = { encoded_slashes: 'keep', path_parameters: 'keep' };

const keeps: RuleFile = {
  ...base,
  name: 'keeps',
  always: ['/admin%2Fusers', '/admin%2fusers', '/admin;x/users', '/v1/secret;x', '/files/1;x/acl', '/files/1%2Facl'],
  weak: '/files/',
  strict: 'admin/users',
  keeps: true,
  routes: [
    at('/{rest*}', { ...read, ...kept }),
    at('/files/{rest*}', { ...open, ...kept }),
    at('/files/{name}/acl', admin),
    at('/files/private', admin),
    at('/admin/{rest*}', admin),
    at('/admin', admin),
    at('/v1/secret', admin),
  ],
};

export const ruleFiles: readonly RuleFile[] = [literals, conditions, hosts, spellings, keeps];

/** The file with an upstream. */
export function configOf({ routes, upstream = {} }: RuleFile, url: string): object {
  return {
    upstreams: { api: { url, ...upstream } },
    defaults: { upstream: 'api' },
    authorization_servers: hmacServer,
    routes,
  };
}

export function pathsOf({ routes }: RuleFile): readonly string[] {
  return routes.map((route) => (route as { match: { path: string } }).match.path);
}
