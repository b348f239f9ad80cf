import t from 'tap';
import { identityHeaders } from '../../../src/gateway/decide/identity-headers.ts';
import type { Identity } from '../../../src/gateway/message/identity.ts';

const headers = identityHeaders({
  prefix: 'X-Auth-',
  set: { 'X-Auth-Subject': 'sub', 'X-Tenant': 'tenant', 'X-Auth-Scope': 'scope' },
});

function identity(claims: Record<string, unknown>): Identity {
  return {
    scheme: 'bearer',
    issuer: 'https://issuer.example',
    server: 'main',
    subject: typeof claims.sub === 'string' ? claims.sub : undefined,
    clientId: undefined,
    scopes: new Set(['a', 'b']),
    audience: undefined,
    expiresAt: undefined,
    notBefore: undefined,
    claims,
  };
}

t.test(
  'every spelling that a server could fold into an identity header is recognized (advisories 18, 24, 26)',
  async (t) => {
    for (const name of [
      'x-auth-subject',
      'x_auth_subject',
      'x-auth_subject',
      'x.auth.subject',
      'x-auth-other',
      'x_auth_',
      'x-tenant',
      'x_tenant',
    ]) {
      t.ok(headers.spoofs(name), name);
    }
    for (const name of ['x-authority', 'x-tenants', 'authorization', 'xauthsubject'])
      t.notOk(headers.spoofs(name), name);
  },
);

t.test('claims become header lines, absent claims do not', async (t) => {
  t.strictSame(headers.write(identity({ sub: 'alice' })), ['x-auth-subject', 'alice', 'x-auth-scope', 'a b']);
});

t.test('text is written as UTF-8 octets, lists and objects as JSON', async (t) => {
  const written = headers.write(identity({ sub: 'Zo\u00eb', tenant: ['a,b', 'c'] }));
  t.strictSame(written, [
    'x-auth-subject',
    Buffer.from('Zo\u00eb').toString('latin1'),
    'x-tenant',
    '["a,b","c"]',
    'x-auth-scope',
    'a b',
  ]);
});

t.test('a claim that cannot be in a header stops the request instead of becoming another one', async (t) => {
  for (const sub of ['a\r\nX-Admin: 1', 'a\u0000', ' a', 'a\t '])
    t.equal(headers.write(identity({ sub })), undefined, JSON.stringify(sub));
});

t.test("a client may not set a proxy's fields about a request, or fields of one connection", async (t) => {
  const ours = [
    'connection',
    'keep-alive',
    'proxy-connection',
    'proxy-authorization',
    'proxy-authenticate',
    'te',
    'trailer',
    'transfer-encoding',
    'upgrade',
    'http2-settings',
    'expect',
    'host',
    'content-length',
    'x-real-ip',
    'forwarded',
    'x-forwarded',
    'x-forwarded-for',
    'x-forwarded-anything',
    'x-request-id',
  ];
  for (const name of [...ours, ...ours.map((each) => each.replaceAll('-', '_'))]) {
    t.ok(headers.spoofs(name), name);
    t.ok(headers.spoofs(name), `${name}, when it is asked again`);
  }
  for (const name of [
    'forwarded-for',
    'not-forwarded',
    'x-forwardedx',
    'xx-forwarded-for',
    'x-real',
    'hosts',
    'accept',
  ])
    t.notOk(headers.spoofs(name), name);
});

t.test('the header of the request id is ours, with the name in the file', async (t) => {
  const own = identityHeaders({ prefix: 'X-Auth-', set: { 'X-Tenant': 'tenant' } }, { requestId: 'X-Trace' });
  t.ok(own.spoofs('x_trace'));
  t.notOk(own.spoofs('x-request-id'));
  t.strictSame(own.names, ['x-tenant']);
});

t.test('a flood of names is not kept, and answers stay right', async (t) => {
  for (let n = 0; n < 3000; n++) t.equal(headers.spoofs(`x-auth-${n}`) && !headers.spoofs(`x-other-${n}`), true);
});

t.test('a claim that is null is absent, and other values are JSON', async (t) => {
  t.strictSame(headers.write(identity({ tenant: null })), ['x-auth-scope', 'a b']);
  t.strictSame(headers.write(identity({ tenant: 7 })), ['x-tenant', '7', 'x-auth-scope', 'a b']);
  t.strictSame(headers.write(identity({ tenant: '' })), ['x-tenant', '', 'x-auth-scope', 'a b']);
  const same = identity({ sub: 'alice' });
  t.equal(headers.write(same), headers.write(same), 'made once for one identity');
});

t.test('a subject or client that is not text counts as absent for a header, as for limits and records', async (t) => {
  const told = identityHeaders({ prefix: 'X-Auth-', set: { 'X-Auth-Client': 'client_id', 'X-Auth-Subject': 'sub' } });
  for (const value of [7, true, ['a'], { a: 'b' }])
    t.strictSame(told.write(identity({ client_id: value, sub: value })), [], JSON.stringify(value));
  const named = identityHeaders({ prefix: 'X-Auth-', set: { 'X-A': 'constructor', 'X-B': 'toString' } });
  t.strictSame(named.write({ ...identity({}), claims: Object.create(null) }), [], 'a claim by any name');
});

const config = { prefix: 'X-Auth-', set: { 'X-Tenant': 'tenant' } };

t.test(
  'headers that name a client’s certificate, or another path or method, are dropped from every sender',
  async (t) => {
    const { spoofs } = identityHeaders(config);
    for (const name of [
      'client-cert',
      'client_cert',
      'client-cert-chain',
      'x-ssl-client-verify',
      'cf-cert',
      'cf-cert-x',
    ])
      t.ok(spoofs(name) && spoofs(name, true), name);
    for (const name of ['x-original-url', 'x_http_method', 'x-http-method-override']) t.ok(spoofs(name), name);
    for (const name of ['client-certs', 'my-client-cert', 'x-sslx', 'x-original-urls', 'x-http-methods'])
      t.notOk(spoofs(name), name);
  },
);

t.test('a header that the file allows passes, and the others of its kind do not', async (t) => {
  const { spoofs, dropsLater } = identityHeaders(config, { passed: ['Client-Cert', 'X-Original-URL'] });
  for (const name of ['client-cert', 'client-cert-chain', 'x-original-url', 'x_original_url'])
    t.notOk(spoofs(name) || spoofs(name, true) || dropsLater(name), name);
  for (const name of ['x-ssl', 'x-client-cert', 'x-original-uri', 'x-tenant', 'x-auth-a'])
    t.ok(spoofs(name) && spoofs(name, true) && dropsLater(name), name);
});

t.test('a header may pass only from a trusted proxy', async (t) => {
  const { spoofs, dropsLater } = identityHeaders(config, { passedFromProxies: ['Client-Cert'] });
  for (const judge of [spoofs, dropsLater])
    t.strictSame([judge('client-cert', true), judge('client-cert', false), judge('client-cert')], [false, true, true]);
  const both = identityHeaders(config, { passed: ['X-SSL'], passedFromProxies: ['Client-Cert'] });
  t.strictSame([both.spoofs('x-ssl'), both.spoofs('x-ssl', true)], [false, true], 'each list is whole');
});

t.test('names and prefixes of other routes to the same upstream are ours here too', async (t) => {
  const { spoofs, names } = identityHeaders(config, { also: { names: ['X-Partner'], prefixes: ['X-P-'] } });
  for (const name of ['x-partner', 'x_partner', 'x-p-a', 'x_p_a', 'x-tenant', 'x-auth-a']) t.ok(spoofs(name), name);
  for (const name of ['x-partners', 'x-pa']) t.notOk(spoofs(name), name);
  t.strictSame(names, ['x-tenant'], 'but they are not written here');
});

t.test(
  'in shadow mode only headers that the gateway sets are dropped, and certificate headers directly from a client',
  async (t) => {
    const also = { names: ['X-Partner'], prefixes: ['X-P-'] };
    const { spoofs, dropsLater } = identityHeaders(config, { also, onlySet: { certificates: ['Client-Cert'] } });
    for (const name of ['x-tenant', 'x_tenant', 'x-partner']) t.ok(spoofs(name) && spoofs(name, true), name);
    for (const name of [
      'x-auth-a',
      'x-p-a',
      'x-request-id',
      'x-forwarded-for',
      'x-original-url',
      'x-ssl',
      'client-certs',
    ]) {
      t.notOk(spoofs(name) || spoofs(name, true), name);
      if (name !== 'client-certs') t.ok(dropsLater(name), `${name}, once the route enforces`);
    }
    for (const name of ['client-cert', 'client_cert', 'client-cert-chain'])
      t.strictSame([spoofs(name), spoofs(name, false), spoofs(name, true)], [true, true, false], name);
    const { spoofs: without } = identityHeaders(config, { onlySet: { certificates: [] } });
    t.notOk(without('client-cert'));
  },
);

t.test('every octet that is not visible ASCII is kept as UTF-8, or stops the header', async (t) => {
  const written = (tenant: string) => identityHeaders(config).write(identity({ tenant }));
  t.strictSame(written('a b~'), ['x-tenant', 'a b~']);
  t.strictSame(written('\u0080'), ['x-tenant', Buffer.from('\u0080').toString('latin1')]);
  for (const control of ['\u0000', '\u001f', '\u007f', '\n', '\t'])
    t.equal(written(`a${control}b`), undefined, JSON.stringify(control));
  t.equal(written('a '), undefined);
});
