import t from 'tap';
import type { Identity } from '../../../src/gateway/message/identity.ts';
import type { JsonObject } from '../../../src/jwt/json.ts';
import { bearer, type Decider, type Request } from './decider.ts';
import { as, call, gateway, message, ping, told } from './messages.ts';

const SESSION = 'mcp-session-id';
const EVENT = 'last-event-id';

/** What the answer to this request seals for its caller. */
async function sealed({ route, decide }: Decider, request: Request, kind: 'session' | 'event', id: string) {
  const [routed, outcome] = [route(request), await decide(request)];
  if (routed.kind !== 'routed' || outcome.kind !== 'forward' || outcome.mcp === undefined) throw new Error('refused');
  return routed.route.mcp?.seal.seal(kind, outcome.mcp.owner, id) ?? '';
}

const pinging = (caller: readonly string[] = bearer, headers: readonly string[] = []) =>
  message(ping, headers, undefined, caller);

t.test('a session belongs to one user of one client, and to one token if the token names neither', async (t) => {
  const callers: Readonly<Record<string, Partial<Identity>>> = {
    again: {},
    bob: { subject: 'bob' },
    'other-client': { clientId: 'other' },
    'other-issuer': { issuer: 'https://other.example' },
    'user-only': { clientId: undefined },
    'user-only-2': { clientId: undefined },
    'client-only': { subject: undefined },
    'client-only-2': { subject: undefined },
    nameless: { subject: undefined, clientId: undefined },
    'nameless-2': { subject: undefined, clientId: undefined },
  };
  const own: Readonly<Record<string, readonly string[]>> = {
    again: ['t', 'again'],
    'user-only': ['user-only', 'user-only-2'],
    'client-only': ['client-only', 'client-only-2'],
    nameless: ['nameless'],
  };
  const decider = gateway({ sessions: true }, {}, callers);
  for (const [opener, known] of Object.entries(own)) {
    const id = await sealed(decider, pinging(as(opener)), 'session', 's1');
    for (const user of ['t', ...Object.keys(callers)]) {
      const used = told(decider.decide(pinging(as(user), [SESSION, id])));
      t.equal(await used, known.includes(user) ? 'forward' : 'mcp_session_unknown', `${user} with ${opener}'s`);
    }
  }
});

t.test('callers without a credential share their sessions with each other, and not with a user', async (t) => {
  const decider = gateway({ sessions: true }, { access: 'optional' });
  const id = await sealed(decider, pinging([]), 'session', 's1');
  t.equal(await told(decider.decide(pinging([], [SESSION, id]))), 'forward');
  t.equal(await told(decider.decide(pinging(bearer, [SESSION, id]))), 'mcp_session_unknown');
});

t.test('an id that the gateway did not seal gets 404, and the record names its caller', async (t) => {
  const { decide } = gateway({ sessions: true });
  for (const name of [SESSION, EVENT])
    for (const id of ['', 's1', `s1.${'A'.repeat(22)}`])
      t.match(
        await decide(pinging(bearer, [name, id])),
        { kind: 'refuse', code: 'mcp_session_unknown', route: { id: 'tools' }, identity: { subject: 'alice' } },
        `${name}: ${id}`,
      );
});

t.test('an id passes for its own kind only', async (t) => {
  const decider = gateway({ sessions: true });
  const [session, event] = [
    await sealed(decider, pinging(), 'session', 's1'),
    await sealed(decider, pinging(), 'event', 's1'),
  ];
  t.equal(await told(decider.decide(pinging(bearer, [SESSION, event]))), 'mcp_session_unknown');
  t.equal(await told(decider.decide(pinging(bearer, [EVENT, session]))), 'mcp_session_unknown');
  const both = await decider.decide(pinging(bearer, [SESSION, session, EVENT, event]));
  const replaced = both.kind === 'forward' ? [...(both.mcp?.replaced ?? [])] : both.kind;
  t.strictSame(replaced, [
    [SESSION, 's1'],
    [EVENT, 's1'],
  ]);
});

t.test('an id that occurs twice, in another spelling, or with other blanks gets 400', async (t) => {
  const decider = gateway({ sessions: true });
  const kinds = { [SESSION]: 'session', [EVENT]: 'event' } as const;
  for (const [name, kind] of Object.entries(kinds)) {
    const id = await sealed(decider, pinging(), kind, 's1');
    const folded = name.replaceAll('-', '_');
    for (const fields of [
      [name, id, name, id],
      [name, id, folded, id],
      [folded, id],
      [name, `${id}\u00a0`],
    ])
      t.match(
        await decider.decide(pinging(bearer, fields)),
        { code: 'mcp_header_mismatch', route: { id: 'tools' }, detail: new RegExp(name), identity: {} },
        fields.join(' '),
      );
  }
});

t.test('without sessions, the upstream gets no id', async (t) => {
  const outcome = await gateway({}).decide(pinging(bearer, [SESSION, 's1', EVENT, 'e1']));
  t.strictSame(outcome.kind === 'forward' ? [...(outcome.mcp?.replaced ?? [])] : outcome.kind, [
    [SESSION, undefined],
    [EVENT, undefined],
  ]);
});

t.test('shadow mode seals no id, so it records none as unknown', async (t) => {
  const { decide } = gateway({ sessions: true }, { mode: 'shadow' });
  t.match(await decide(pinging(bearer, [SESSION, 's1'])), { kind: 'forward', shadow: 'pass' });
  const twice = await decide(pinging(bearer, [SESSION, 's1', SESSION, 's1']));
  t.match(twice, { kind: 'forward', shadow: { code: 'mcp_header_mismatch' } });
});

t.test('an id of an event may have any letters, and an id of a session has those of a header', async (t) => {
  const decider = gateway({ sessions: true });
  const bytes = (text: string) => Buffer.from(text).toString('latin1');
  const listen = { line: 'GET /mcp', headers: bearer };
  for (const [name, value, own] of [
    [EVENT, bytes(await sealed(decider, listen, 'event', '\u00e9\u{1f600}')), bytes('\u00e9\u{1f600}')],
    [SESSION, await sealed(decider, listen, 'session', '\u00e9'), '\u00e9'],
  ] as const) {
    const outcome = await decider.decide({ line: 'GET /mcp', headers: [...bearer, name, value] });
    t.equal(outcome.kind === 'forward' ? outcome.mcp?.replaced.get(name) : outcome.kind, own);
  }
});

/** Two arguments that one header repeats, and one of another header. */
const definition: JsonObject = {
  inputSchema: {
    properties: {
      a: { 'x-mcp-header': 'Tenant' },
      b: { 'x-mcp-header': 'Tenant' },
      c: { 'x-mcp-header': 'Region' },
    },
  },
};

const bound = { claims_to_params: { 'Mcp-Param-Tenant': 'tenant' } };
const claims = (more: object) => ({ t: { claims: { sub: 'alice', ...more } } });

/** A gateway that has seen the tool `echo` in a list. */
function learned(more: object, claimed: object): Decider {
  const decider = gateway({ sessions: true }, more, claims(claimed));
  const routed = decider.route(message(ping));
  if (routed.kind === 'routed') routed.route.mcp?.tools.learn('echo', definition);
  return decider;
}

t.test('every argument that the header repeats must be the text of the claim', async (t) => {
  const asked = (args: object, claimed: object = { tenant: 'acme' }) =>
    told(learned(bound, claimed).decide(message(call(args))));
  t.equal(await asked({ a: 'acme', b: 'acme' }), 'forward');
  t.equal(await asked({ a: 'acme', b: 'acme', c: 'other' }), 'forward', 'another header repeats it');
  for (const args of [
    {},
    { a: 'acme' },
    { a: 'acme', b: 'other' },
    { a: 'other', b: 'acme' },
    { a: ['acme'], b: 'acme' },
    { a: 'acme', b: { toString: 1, valueOf: 1 } },
    { a: 'acme', b: null },
  ])
    t.equal(await asked(args), 'condition_failed', JSON.stringify(args));
  t.equal(await asked({ a: 1, b: 1 }, { tenant: 1 }), 'forward');
  for (const tenant of [undefined, null, ['acme'], { a: 'acme' }])
    t.equal(await asked({ a: 'acme', b: 'acme' }, { tenant }), 'condition_failed', JSON.stringify(tenant));
});

t.test('the header must equal the claim in every message, and it must occur once', async (t) => {
  const { decide } = learned(bound, { tenant: 'acme' });
  const sent = (...headers: readonly string[]) => told(decide(message(ping, headers)));
  const name = 'Mcp-Param-Tenant';
  t.equal(await sent(), 'forward');
  t.equal(await sent(name, 'acme'), 'forward');
  t.equal(await sent(name, '=?base64?YWNtZQ==?='), 'forward', 'encoded');
  for (const headers of [
    [name, 'other'],
    [name, ''],
    [name, 'acme', name, 'acme'],
    ['Mcp_Param_Tenant', 'other'],
    [name, '=?base64?b3RoZXI=?='],
  ])
    t.match(
      await decide(message(ping, headers)),
      { code: 'condition_failed', route: { id: 'tools' }, detail: 'claims_to_params', identity: { subject: 'alice' } },
      headers.join(': '),
    );
  const listen = (value: string) => told(decide({ line: 'GET /mcp', headers: [...bearer, name, value] }));
  t.strictSame([await listen('acme'), await listen('other')], ['forward', 'condition_failed']);
});

t.test('a header that occurs twice equals no claim, not even an empty one', async (t) => {
  const { decide } = learned(bound, { tenant: '' });
  const empty = ['Mcp-Param-Tenant', ''];
  t.equal(await told(decide(message(ping, empty))), 'forward');
  t.equal(await told(decide(message(ping, [...empty, ...empty]))), 'condition_failed');
});

t.test('each of several headers must equal its claim', async (t) => {
  const both = { claims_to_params: { 'Mcp-Param-Tenant': 'tenant', 'Mcp-Param-Region': 'region' } };
  const { decide } = learned(both, { tenant: 'acme', region: 'eu' });
  const args = { a: 'acme', b: 'acme' };
  t.equal(await told(decide(message(call({ ...args, c: 'eu' })))), 'forward');
  t.equal(await told(decide(message(call({ ...args, c: 'us' })))), 'condition_failed');
  t.equal(await told(decide(message(call({ a: 'acme', b: 'x', c: 'eu' })))), 'condition_failed');
});

t.test('a call of a tool that no list has shown gets 400, because its arguments are unknown', async (t) => {
  t.match(await gateway({}, bound, claims({ tenant: 'acme' })).decide(message(call({ a: 'acme', b: 'acme' }))), {
    code: 'mcp_header_mismatch',
    route: { id: 'tools' },
    detail: /not seen this tool/,
  });
});

t.test('a caller without claims may not send the header', async (t) => {
  const { decide } = gateway({}, { ...bound, access: 'optional' });
  t.equal(await told(decide(pinging([]))), 'forward');
  t.equal(await told(decide(pinging([], ['Mcp-Param-Tenant', 'acme']))), 'condition_failed');
});

t.test('the gateway reads an answer only as far as its route needs', async (t) => {
  const reads = async (mcp: object, request: Request) => {
    const outcome = await gateway(mcp).decide(request);
    return outcome.kind === 'forward' ? outcome.mcp?.reads : outcome.kind;
  };
  const list = message({ method: 'tools/list' });
  const plain = { filter_lists: false, mirror: 'off' };
  t.equal(await reads({}, list), 'list');
  t.equal(await reads({ ...plain, filter_lists: true }, list), 'list', 'to filter it');
  t.equal(await reads({ ...plain, mirror: 'require' }, list), 'list', 'to learn the arguments of the tools');
  t.equal(await reads({ sessions: true }, list), 'list');
  t.equal(await reads(plain, list), 'nothing');
  t.equal(await reads({ ...plain, sessions: true }, list), 'stream');
  t.equal(await reads({}, message(ping)), 'nothing');
  const lines = { POST: message(ping), GET: { line: 'GET /mcp', headers: bearer } };
  for (const request of Object.values(lines)) t.equal(await reads({ sessions: true }, request), 'stream', request.line);
  t.equal(await reads({ sessions: true }, { line: 'DELETE /mcp', headers: bearer }), 'head');
});
