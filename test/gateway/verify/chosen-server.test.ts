import t from 'tap';
import { refused } from '../../../src/base/verdict.ts';
import type { Identity } from '../../../src/gateway/message/identity.ts';
import { failed } from '../../../src/gateway/server-client/fetch-json.ts';
import type { AuthorizationServer } from '../../../src/gateway/verify/authorization-server.ts';
import { buildVerifiers } from '../../../src/gateway/verify/verifiers.ts';
import { encode } from '../../jwt/tokens.ts';
import { heldClock, settings } from '../server-settings.ts';

type Said = Partial<
  Pick<AuthorizationServer, 'tokenPrefix' | 'introspects' | 'lacksClient' | 'recall' | 'usable' | 'tried' | 'fault'>
> & { readonly issuer?: string };

const identityOf = (server: string) => ({ server }) as Identity;

/** Verifiers of servers with these settings, and which of them got each token. */
function open(servers: Readonly<Record<string, Said>>) {
  const seen: string[] = [];
  const log = { info() {}, warn() {}, error() {} } as never;
  const configs = Object.fromEntries(
    Object.entries(servers).map(([name, said]) => [name, settings(said.issuer ?? `https://${name}.example`)]),
  );
  const verifiers = buildVerifiers(
    { authorization_servers: configs, development: false },
    { clock: heldClock(), log, directory: '.' },
    (name, { issuer }) => {
      const take = (how: string) => async (token: unknown) => {
        seen.push(`${name} ${how} ${typeof token === 'string' ? token : ''}`.trim());
        return { kind: 'verified', identity: identityOf(name), cache: 'miss' } as const;
      };
      return {
        name,
        tokenPrefix: '',
        introspects: true,
        lacksClient: false,
        recall: () => undefined,
        verifyJwt: take('jwt'),
        verifyOpaque: take('opaque'),
        watch: () => () => void seen.push(`${name} unwatched`),
        receiver: undefined,
        forget: () => undefined,
        isInDoubt: () => false,
        fetch: async () => failed('not asked'),
        tried: () => true,
        usable: () => undefined,
        fault: () => undefined,
        stats: () => ({ server: name }) as never,
        start: async () => void seen.push(`${name} started`),
        close: async () => void seen.push(`${name} closed`),
        ...servers[name],
        issuer,
      };
    },
  );
  const told = async (names: readonly string[], token: string) => {
    const verdict = await verifiers.verifier(names)(token);
    if (verdict.kind === 'verified') return seen.at(-1);
    return verdict.kind === 'refused' ? [verdict.code, verdict.detail].filter(Boolean).join(': ') : verdict.kind;
  };
  return { verifiers, seen, told };
}

const jwt = (iss?: unknown) => encode({ alg: 'ES256' }, { iss });

t.test('a JWT goes to the first server of the route with its issuer', async (t) => {
  const { told } = open({ a: {}, b: {}, twin: { issuer: 'https://a.example' } });
  t.equal(await told(['a', 'b'], jwt('https://b.example')), 'b jwt');
  t.equal(await told(['a', 'twin'], jwt('https://a.example')), 'a jwt');
  t.equal(await told(['twin', 'a'], jwt('https://a.example')), 'twin jwt');
  t.equal(await told(['a'], jwt('https://b.example')), 'token_issuer');
  for (const iss of [undefined, 7, ['https://a.example']]) t.equal(await told(['a'], jwt(iss)), 'token_issuer');
  t.equal(await told(['a'], 'eyJhbGciOiJFUzI1NiJ9.e30x.AAAA'), 'token_malformed: payload is not a JSON object');
});

t.test('an opaque token goes to the longest matching prefix, and with one server always to that', async (t) => {
  const servers = {
    short: { tokenPrefix: 'a_' },
    long: { tokenPrefix: 'a_b_' },
    blank: { tokenPrefix: '' },
    jwt: { tokenPrefix: 'j_', introspects: false },
  };
  const { told } = open(servers);
  const all = Object.keys(servers);
  t.equal(await told(all, 'a_b_1'), 'long opaque a_b_1');
  t.equal(await told(all.toReversed(), 'a_b_1'), 'long opaque a_b_1', 'in any order');
  t.equal(await told(all, 'a_1'), 'short opaque a_1');
  t.equal(await told(all, 'x'), 'token_inactive', 'an empty prefix fits nothing among several');
  t.equal(await told(all, 'j_1'), 'token_inactive', 'one that is not asked has no prefix');
  t.equal(await told(['blank', 'jwt'], 'j_1'), 'blank opaque j_1', 'the only one is asked in any case');
  t.equal(await told(['short', 'jwt'], 'x'), 'short opaque x');
});

t.test(
  'without an introspecting server an opaque token is an invalid JWT, and a missing client is named',
  async (t) => {
    const { told } = open({
      a: { introspects: false },
      b: { introspects: false, lacksClient: true },
      c: { introspects: false, lacksClient: true },
    });
    t.equal(await told(['a'], 'x'), 'token_malformed: not a JWT');
    t.equal(await told([], 'x'), 'token_malformed: not a JWT');
    t.equal(
      await told(['a', 'b', 'c'], 'x'),
      'token_malformed: not a JWT, and the gateway cannot introspect opaque tokens without `client_id` (authorization_servers.b, authorization_servers.c)',
    );
  },
);

t.test('a token that is too long is refused, and no server gets it', async (t) => {
  const { told, seen } = open({ a: {} });
  t.equal(await told(['a'], 'x'.repeat(16 * 1024)), `a opaque ${'x'.repeat(16 * 1024)}`);
  t.equal(await told(['a'], 'x'.repeat(16 * 1024 + 1)), 'token_malformed: too long');
  t.equal(seen.length, 1);
});

t.test('a cached result counts only if its server is the one that would get the token', async (t) => {
  const known = (isJwt: boolean) => () => ({ jwt: isJwt, answer: refused<'token_revoked'>('token_revoked') });
  const opaque = { a: { tokenPrefix: 'a_', recall: known(false) }, b: { tokenPrefix: 'b_' } };
  t.equal(await open(opaque).told(['a', 'b'], 'a_1'), 'token_revoked');
  t.equal(await open(opaque).told(['a', 'b'], 'b_1'), 'b opaque b_1', 'another one would be asked here');
  t.equal(await open(opaque).told(['a'], 'b_1'), 'token_revoked');
  const issuer = 'https://a.example';
  const signed = { first: { issuer }, a: { issuer, recall: known(true) } };
  t.equal(await open(signed).told(['a', 'first'], jwt(issuer)), 'token_revoked');
  t.equal(await open(signed).told(['first', 'a'], jwt(issuer)), 'first jwt');
});

t.test('it is ready once every server was tried, and a server with known state is usable', async (t) => {
  const ready = (...servers: readonly Said[]) =>
    open(Object.fromEntries(servers.map((said, index) => [`s${index}`, said]))).verifiers.ready();
  const [well, out, mute] = [{ usable: () => true }, { usable: () => false }, { usable: () => undefined }];
  const untried = { tried: () => false };
  t.strictSame([ready(), ready(mute), ready(well), ready(well, out), ready(out, mute, well)], Array(5).fill(true));
  t.strictSame(
    [ready(out), ready(out, mute), ready({ ...well, ...untried }), ready(well, untried)],
    Array(4).fill(false),
  );
});

t.test('a server that is not usable is named with its fault, or as not yet answered', async (t) => {
  const { verifiers } = open({
    a: { usable: () => false, fault: () => 'status 500' },
    b: { usable: () => false },
    c: { usable: () => undefined, fault: () => 'x' },
    d: { usable: () => true, fault: () => 'x' },
  });
  t.strictSame(verifiers.faults(), ['authorization_servers.a: status 500', 'authorization_servers.b: no answer yet']);
});

t.test(
  'every server is started, counted and closed; an identity is watched by its own server, or by none',
  async (t) => {
    const { verifiers, seen } = open({ a: {}, b: {} });
    await verifiers.start();
    t.strictSame(seen.splice(0), ['a started', 'b started']);
    t.strictSame([...verifiers.stats()], [{ server: 'a' }, { server: 'b' }]);
    verifiers.watch(identityOf('b'), () => {})();
    t.strictSame(seen.splice(0), ['b unwatched']);
    t.doesNotThrow(() => verifiers.watch(identityOf(''), () => {})(), 'a user of a scheme does not expire');
    await verifiers.close();
    t.strictSame(seen, ['a closed', 'b closed']);
    t.throws(() => verifiers.verifier(['c']), { message: 'no authorization server is called c' });
  },
);
