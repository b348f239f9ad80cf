import t, { type Test } from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { type Http2Upstream, http2Upstream } from '../support/http2-upstream.ts';
import fc, { tries } from '../support/properties.ts';
import { ask } from '../support/raw-client.ts';
import { bearer, requestText } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { type Witness, witness } from '../support/witness.ts';

/** Sends 3,000 requests in .ci/run: 33 s on a busy machine. */
t.setTimeout(120_000);

/**
 * Names that every JavaScript object inherits from its prototype are ordinary names for header fields, query and form
 * parameters, and claims.
 */

const odd = [...Object.getOwnPropertyNames(Object.prototype), 'prototype'];
const names = [...odd, 'plain'];
/** A key of the file may have any of these names except one (test/config/load/load.test.ts). */
const ofFile = names.filter((name) => name !== '__proto__');

type Kind = 'header' | 'query' | 'claim';
const kinds: readonly Kind[] = ['header', 'query', 'claim'];
const engines = ['undici', 'own', 'http2'] as const;
type EngineName = (typeof engines)[number];

/** The spellings of a rule about this name: in `match` or `claims`, and in `when`. */
const rules: Readonly<
  Record<Kind, (name: string) => { readonly match?: object; readonly more?: object; readonly when: string }>
> = {
  header: (name) => ({
    match: { headers: { [name]: 'v' } },
    when: `request.headers[${JSON.stringify(name.toLowerCase())}]`,
  }),
  query: (name) => ({ match: { query: { [name]: 'v' } }, when: `request.query[${JSON.stringify(name)}]` }),
  claim: (name) => ({
    more: { claims: { [name]: { equals: 'v' } } },
    when: `identity.claims[${JSON.stringify(name)}]`,
  }),
};

const access = { access: 'authenticated', bearer_methods_supported: ['header', 'body'] } as const;

/** `/ENGINE/KIND/WAY/NUMBER` forwards if the rule of this kind about this name is true. */
function routesOf(engine: EngineName): object[] {
  const of = (kind: Kind, way: string, name: string, more: { match?: object }) => ({
    ...more,
    ...access,
    upstream: engine,
    match: { path: `/${engine}/${kind}/${way}/${names.indexOf(name)}`, ...more.match },
  });
  return kinds.flatMap((kind) => [
    ...ofFile.map((name) => of(kind, 'is', name, { match: rules[kind](name).match ?? {}, ...rules[kind](name).more })),
    ...names.flatMap((name) => [
      of(kind, 'when', name, { when: `${rules[kind](name).when} == "v"` } as object),
      of(kind, 'unless', name, { when: `${rules[kind](name).when} != "v"` } as object),
    ]),
  ]);
}

interface Scene {
  readonly port: number;
  readonly plain: Witness;
  readonly http2: Http2Upstream;
}

const answerFields = odd.map((name) => [name.toLowerCase(), 'v'] as const);

async function scene(t: Test): Promise<Scene> {
  const plain = await witness(t);
  const http2 = await http2Upstream(t, (stream) => {
    stream.on('end', () => {
      stream.respond({ ':status': 200, ...Object.fromEntries(answerFields) });
      stream.end('ok');
    });
  });
  const upstreams = {
    undici: { url: plain.url, engine: 'undici' },
    own: { url: plain.url, engine: 'own' },
    http2: { url: http2.url, http2: true },
  };
  const set = Object.fromEntries([
    ...odd.map((name, index) => [`X-Auth-Odd-${index}`, name]),
    ['X-Auth-Subject', 'sub'],
  ]);
  const { port } = await gateway(
    t,
    behind(plain.url, {
      upstreams,
      defaults: { upstream: 'own', identity_headers: { prefix: 'X-Auth-', set } },
      limits: { header_count: 200 },
      routes: engines.flatMap(routesOf),
    }),
  );
  return { port, plain, http2 };
}

interface Arrived {
  readonly lines: readonly (readonly [name: string, value: string])[];
  readonly target: string;
  readonly body: string;
}

function takeArrived({ plain, http2 }: Scene, engine: EngineName): Arrived | undefined {
  if (engine !== 'http2') {
    const seen = plain.seen.pop();
    return seen && { lines: pairs(seen.rawHeaders), target: seen.target, body: seen.body.toString('latin1') };
  }
  const seen = http2.seen.pop();
  return seen && { lines: pairs(seen.raw), target: String(seen.headers[':path']), body: seen.body.toString('latin1') };
}

function pairs(raw: readonly string[]): (readonly [string, string])[] {
  return raw.flatMap((name, index) =>
    index % 2 === 0 ? [[name.toLowerCase(), raw[index + 1] as string] as const] : [],
  );
}

/** Names with their values. */
type Given = ReadonlyMap<string, string>;

interface Case {
  readonly engine: EngineName;
  readonly kind: Kind;
  readonly way: 'is' | 'when' | 'unless';
  readonly name: string;
  readonly given: Readonly<Record<Kind | 'form', Given>>;
}

const given = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...names), fc.constantFrom('v', 'w')), {
    selector: ([name]) => name,
    maxLength: 5,
  })
  .map((entries): Given => new Map(entries));

const cases: fc.Arbitrary<Case> = fc
  .record({
    engine: fc.constantFrom(...engines),
    kind: fc.constantFrom(...kinds),
    way: fc.constantFrom('is', 'when', 'unless'),
    name: fc.constantFrom(...names),
    given: fc.record({ header: given, query: given, claim: given, form: given }),
  })
  .filter(({ way, name }) => way !== 'is' || name !== '__proto__');

/** A missing name makes each comparison an error, which is false. */
function holds({ kind, way, name, given }: Case): boolean {
  const value = given[kind].get(name);
  return value !== undefined && (value === 'v') === (way !== 'unless');
}

const written = (pairs: Given) => [...pairs].map(([name, value]) => `${name}=${value}`);

async function send(port: number, { engine, kind, way, name, given }: Case) {
  const claims = Object.fromEntries([...given.claim, ['scope', 'read']]);
  const token = await jwt(claims, { alg: 'HS256' });
  const inForm = given.form.size > 0;
  const target = `/${engine}/${kind}/${way}/${names.indexOf(name)}?${written(given.query).join('&')}`;
  const headers = [
    ...given.header,
    ...(inForm ? [['Content-Type', 'application/x-www-form-urlencoded'] as const] : [bearer(token)]),
  ];
  const body = inForm ? [...written(given.form), `access_token=${token}`].join('&') : undefined;
  const response = await ask(
    port,
    requestText({ method: inForm ? 'POST' : 'GET', target, headers, ...(body && { body }) }),
  );
  return { response, target };
}

t.test('a name of Object.prototype is an ordinary name, in every place and with every engine', async (t) => {
  const all = await scene(t);
  await fc.assert(
    fc.asyncProperty(cases, async (item) => {
      const { response, target } = await send(all.port, item);
      const arrived = takeArrived(all, item.engine);
      const seen = response.body.toString().slice(0, 200);
      if ((response.status === 200) !== holds(item)) throw new Error(`${response.status} ${seen}`);
      if (arrived === undefined) {
        if (response.status === 200) throw new Error('answered, and never sent');
        return;
      }
      if (arrived.target !== target) throw new Error(`${arrived.target} for ${target}`);
      if (arrived.body !== written(item.given.form).join('&')) throw new Error(`a body: ${arrived.body}`);
      checkLines(item, arrived);
    }),
    { ...tries(100, 3000), endOnFailure: true },
  );
});

/** All fields of the client, the claims that the file lists, and nothing that was not sent. */
function checkLines({ engine, given }: Case, { lines }: Arrived): void {
  for (const name of names) {
    // @fastify/reply-from copies the fields of a request to a plain object, which takes no such key.
    const expected = engine === 'http2' && name === '__proto__' ? undefined : given.header.get(name);
    const values = lines.filter(([each]) => each === name.toLowerCase()).map(([, value]) => value);
    if (values.join('|') !== (expected ?? '')) throw new Error(`${name}: ${values.join('|')} for ${expected}`);
  }
  for (const [index, name] of odd.entries()) {
    const told = lines.filter(([each]) => each === `x-auth-odd-${index}`).map(([, value]) => value);
    if (told.join('|') !== (given.claim.get(name) ?? '')) throw new Error(`claim ${name}: ${told.join('|')}`);
  }
}

t.test('lines with one such name are one field over HTTP/2, and lines over HTTP/1.1', async (t) => {
  const all = await scene(t);
  const token = bearer(await jwt({}, { alg: 'HS256' }));
  for (const engine of engines) {
    const target = `/${engine}/query/when/${names.indexOf('plain')}?plain=v`;
    await ask(all.port, requestText({ target, headers: [token, ['Constructor', 'a'], ['constructor', 'b']] }));
    const lines = takeArrived(all, engine)?.lines.filter(([name]) => name === 'constructor');
    t.strictSame(
      lines?.map(([, value]) => value),
      engine === 'http2' ? ['a, b'] : ['a', 'b'],
    );
  }
});

t.test('an answer may have such names too', async (t) => {
  const { port, plain } = await scene(t);
  plain.behave({ headers: answerFields });
  const token = bearer(await jwt({}, { alg: 'HS256' }));
  for (const engine of engines) {
    const target = `/${engine}/query/when/${names.indexOf('plain')}?plain=v`;
    const response = await ask(port, requestText({ target, headers: [token] }));
    for (const [name] of answerFields) t.equal(response.header(name), 'v', `${engine} ${name}`);
  }
});
