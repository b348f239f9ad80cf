import t from 'tap';
import { behind, gateway } from '../../support/gateway.ts';
import { isFullSize } from '../../support/long.ts';
import { sendAll } from '../../support/many.ts';
import { random } from '../../support/random.ts';
import type { RawResponse } from '../../support/raw-response.ts';
import { jwt } from '../../support/tokens.ts';
import { type Seen, type Witness, witness } from '../../support/witness.ts';
import { type Shape, shapeOf } from './shapes.ts';
import { added, arrived, expected } from './unchanged.ts';

/** Thousands of requests, each sent twice. */
t.setTimeout(isFullSize ? 600_000 : 240_000);

const COUNT = isFullSize ? 5_000 : 1_000;

const file = {
  mode: 'shadow',
  bearer_methods_supported: ['header', 'query', 'body'],
  cors: { origins: ['https://other.example'] },
  limits: { form_body: '1KiB', body: '2KiB' },
  routes: [
    { id: 'orders', match: { path: '/orders/{rest*}' }, scope: 'orders.read' },
    { id: 'admin', match: { path: '/admin/{rest*}', methods: ['GET'] }, scope: 'admin' },
    {
      id: 'limited',
      match: { path: '/limited/{rest*}' },
      access: 'public',
      rate_limit: { by: 'address', requests: 1, per: '1h' },
    },
    { id: 'closed', match: { path: '/closed/{rest*}' }, scope: 'none', cors: 'upstream' },
  ],
};

const answers = [
  {
    status: 200,
    fields: [
      ['X-Request-Id', 'theirs'],
      ['Cache-Control', 'public'],
      ['Set-Cookie', 'a=b'],
      ['set-cookie', 'c=d'],
    ],
  },
  {
    status: 401,
    fields: [
      ['WWW-Authenticate', 'Basic realm="old"'],
      ['X-Powered-By', 'PHP/5'],
    ],
  },
  {
    status: 500,
    fields: [
      ['Access-Control-Allow-Origin', '*'],
      ['Access-Control-Expose-Headers', 'X-A'],
    ],
  },
  {
    status: 302,
    fields: [
      ['Location', 'http://old.example/'],
      ['Vary', 'Origin'],
    ],
  },
  {
    status: 404,
    fields: [
      ['Via', '1.1 old'],
      ['Server', 'old'],
      ['X-Auth-Subject', 'theirs'],
    ],
  },
] as const;

/** The same for the same request, whichever path it took. */
function answerById(upstream: Witness): void {
  upstream.behave((_request, response, seen) => {
    const id = Number(seen.header('x-case')?.slice(5));
    const { status, fields } = answers[id % answers.length] as (typeof answers)[number];
    const body = seen.method === 'HEAD' ? '' : `${id} `.repeat(id % 50);
    // RFC 9110 §6.6.1: a recipient that forwards an answer without Date adds one.
    response.sendDate = false;
    const length = id % 3 === 0 && seen.method !== 'HEAD' ? [] : ['Content-Length', String(body.length)];
    response.writeHead(status, [...fields.flat(), 'Date', 'Sun, 06 Nov 1994 08:49:37 GMT', ...length]);
    response.end(body);
  });
}

interface Pass {
  readonly seen: ReadonlyMap<string, Seen>;
  readonly answers: ReadonlyMap<string, RawResponse | undefined>;
}

async function send(upstream: Witness, port: number, shapes: readonly Shape[]): Promise<Pass> {
  const answers = new Map<string, RawResponse | undefined>();
  await sendAll({
    port,
    items: shapes,
    bytes: ({ bytes }) => bytes,
    method: ({ method }) => method,
    onAnswer: ({ id }, answer) => answers.set(id, answer),
  });
  const seen = new Map(upstream.seen.map((each) => [each.header('x-case') ?? '', each]));
  upstream.forget();
  return { seen, answers };
}

/** Fields of the connection, and the request id if the upstream sent none. */
function answered(answer: RawResponse | undefined) {
  const headers =
    answer?.headers.filter(([name]) => !/^(?:connection|keep-alive|transfer-encoding)$/i.test(name)) ?? [];
  const ids = headers.filter(([name]) => name.toLowerCase() === 'x-request-id').map(([, value]) => value);
  return {
    status: answer?.status,
    headers: headers.filter(([name, value]) => name.toLowerCase() !== 'x-request-id' || value === 'theirs'),
    hasTheirId: ids.includes('theirs'),
    ids: ids.length,
    body: answer?.body.toString('latin1'),
  };
}

/** The differences that are not allowed; empty: none. */
function differences(shape: Shape, direct: Pass, shadow: Pass): object[] {
  const [one, other] = [direct.seen.get(shape.id), shadow.seen.get(shape.id)];
  if (one === undefined || other === undefined)
    return [{ shape, direct: one !== undefined, shadow: other !== undefined }];
  const theirs = expected(one);
  const got = arrived(other, theirs.length);
  const isVerified = got.ours.includes('x-auth-subject');
  const wants = {
    method: one.method,
    target: one.target,
    theirs,
    ours: added(theirs, isVerified),
    body: one.body.toString('latin1'),
  };
  const has = { method: other.method, target: other.target, ...got, body: other.body.toString('latin1') };
  const [said, told] = [answered(direct.answers.get(shape.id)), answered(shadow.answers.get(shape.id))];
  const found: object[] = [];
  if (JSON.stringify(wants) !== JSON.stringify(has)) found.push({ id: shape.id, wants, has });
  if (JSON.stringify({ ...said, ids: 1 }) !== JSON.stringify(told)) found.push({ id: shape.id, said, told });
  return found;
}

for (const engine of ['own', 'undici'])
  t.test(
    `over ${engine}: ${COUNT} requests arrive as sent except for the fields of semantics 11, and so do the answers`,
    async (t) => {
      const upstream = await witness(t);
      answerById(upstream);
      const token = await jwt({ scope: 'orders.read' }, { alg: 'HS256' });
      const { port } = await gateway(
        t,
        behind(upstream.url, { ...file, upstreams: { api: { url: upstream.url, engine, max_connections: 64 } } }),
      );
      const dice = random(21_001);
      const shapes = Array.from({ length: COUNT }, (_, index) => shapeOf(dice, token, index)).filter(
        ({ target }) => engine === 'own' || target !== '*',
      );
      const direct = await send(upstream, upstream.port, shapes);
      const shadow = await send(upstream, port, shapes);
      const wrong = shapes.flatMap((shape) => differences(shape, direct, shadow));
      t.strictSame(wrong.slice(0, 3), [], `${wrong.length} of ${shapes.length} differ`);
      const verified = shapes.filter(({ id }) => shadow.seen.get(id)?.header('x-auth-subject') === 'alice');
      t.ok(verified.length > COUNT / 50, 'a good token is seen to be one');
    },
  );
