import { hmacServer } from '../../support/tokens.ts';

/** Narrow and strict rules beside wide and weak ones, as in a file that has grown. */
export type Rules = keyof typeof sets;

/** Users of the Basic and Digest files. */
export interface UserFiles {
  readonly basic: string;
  readonly digest: string;
}

const path = (text: string, more: object = {}) => ({ match: { path: text }, ...more });

const read = { scope: 'read' };
const admin = { scope: 'admin' };
const open = { access: 'public' };

const plain = [
  path('/health', open),
  path('/public/{rest*}', open),
  path('/odata/{rest*}', read),
  path('/odata/Users(1)', admin),
  path('/odata/$metadata', open),
  path('/v1/{rest*}', read),
  path('/v1/users:purge', admin),
  path('/v1/@admin', admin),
  path('/users/{id}', read),
  path('/users/me', { access: 'authenticated' }),
  path('/users/{id}/keys', admin),
  path('/bucket/{key*}', read),
  path('/bucket/private/{key*}', admin),
  path('/at/{time}', read),
  path('/q/{text}', read),
  path('/php/{rest*}', read),
  path('/php/list', { match: { path: '/php/list', query: { debug: '1' } }, ...admin }),
  path('/pay', { ...read, when: 'request.headers["x-env"] == "prod" && request.query.currency != "XTS"' }),
  path('/soap', { match: { path: '/soap', methods: ['POST'], soap_action: 'urn:GetOrder' }, ...read }),
  path('/soap', { match: { path: '/soap', methods: ['POST'], soap_action: 'urn:DeleteOrder' }, ...admin }),
  path('/dav/{rest*}', read),
  path('/form', { ...read, bearer_methods_supported: ['header', 'body'] }),
  path('/feed', { ...read, bearer_methods_supported: ['header', 'query'] }),
];

/** `tenant.example.com` and the addresses of the machine. */
const hosts = [
  { match: { host: '{tenant}.example.com', path: '/{rest*}' }, ...open },
  { match: { host: 'admin.example.com', path: '/{rest*}' }, ...admin },
  { match: { host: '[::1]', path: '/{rest*}' }, ...open },
];

const keep = [
  { ...path('/{rest*}', read), encoded_slashes: 'keep', path_parameters: 'keep' },
  { ...path('/admin/{rest*}', admin), encoded_slashes: 'keep', path_parameters: 'keep' },
];

const people = ({ basic, digest }: UserFiles) => [
  path('/basic', { auth: 'basic', basic: { realm: 'r', users: basic, allow_insecure: true }, access: 'authenticated' }),
  path('/digest', { auth: 'digest', digest: { realm: 'r', users: digest }, access: 'authenticated' }),
];

const proxied = [
  { match: { host: 'shop.example.com', path: '/{rest*}' }, ...read },
  { match: { host: 'admin.example.com', path: '/{rest*}' }, ...admin },
];

/** The parts that differ: everything except upstream and authorization server. */
const sets = {
  plain: () => ({ routes: plain }),
  hosts: () => ({ routes: hosts }),
  keep: () => ({ routes: keep }),
  people: (users: UserFiles) => ({ routes: people(users) }),
  proxied: () => ({ routes: [path('/{rest*}', read)], trusted_proxies: ['127.0.0.1'] }),
  'host: forwarded': () => ({ routes: proxied, trusted_proxies: { from: ['127.0.0.1'], host: 'forwarded' } }),
  request_buffering: () => ({ routes: [path('/upload', { ...read, request_buffering: 'off' })] }),
  pass_headers: () => ({ routes: [path('/override', { ...read, pass_headers: ['X-HTTP-Method-Override'] })] }),
} as const satisfies Readonly<Record<string, (users: UserFiles) => object>>;

/** The file for this upstream. */
export function fileOf(rules: Rules, users: UserFiles, api: object): object {
  return {
    upstreams: { api },
    defaults: { upstream: 'api' },
    authorization_servers: hmacServer,
    ...sets[rules](users),
  };
}

export const allRules = Object.keys(sets) as readonly Rules[];
