import t, { type Test } from 'tap';
import { behind, gateway } from '../../support/gateway.ts';
import { secret } from '../../support/keys.ts';
import { audience, authorizationServer, issuer, JWT_BEGINS, jwt } from '../../support/tokens.ts';

/** Nothing is forwarded here. */
const NOWHERE = 'http://127.0.0.1:9';

interface Answered {
  readonly log: Record<string, unknown>;
  readonly ticket: Record<string, unknown>;
  /** Header fields and body, without the ticket. */
  readonly answer: string;
  /** Characters. */
  readonly ticketLength: number;
}

async function asking(t: Test, changes: object = {}) {
  const running = await gateway(t, behind(NOWHERE, { admin: '127.0.0.1:0', ...changes }));
  return async (token: string): Promise<Answered> => {
    const response = await fetch(`${running.url}/orders/1`, { headers: { authorization: `Bearer ${token}` } });
    const { ticket, ...said } = (await response.json()) as { ticket: string; request_id: string };
    const log = running.log.find(({ request_id }) => request_id === said.request_id) ?? {};
    const opened = await fetch(`${running.adminUrl}/why/${ticket}`);
    return {
      log,
      ticket: (await opened.json()) as Record<string, unknown>,
      answer: JSON.stringify([...response.headers, said]),
      ticketLength: ticket.length,
    };
  };
}

const now = () => Math.floor(Date.now() / 1000);

t.test('a refused token is logged, and sealed in the ticket, with the found and the expected value', async (t) => {
  const ask = await asking(t);
  const expected = `"${issuer}"`;
  const cases: readonly [claims: Record<string, unknown>, header: Record<string, unknown>, told: object][] = [
    [
      { iss: `${issuer}/` },
      {},
      { claim: 'iss', found: `"${issuer}/"`, expected, difference: 'differs only by a slash at the end' },
    ],
    [{ aud: ['a'] }, {}, { code: 'token_audience', claim: 'aud', found: '["a"]', expected: `"${audience}"` }],
    [{ exp: now() - 6_630 }, {}, { code: 'token_expired', claim: 'exp', difference: /^expired 1 h 50 min ago; now / }],
    [{ nbf: now() + 650 }, {}, { code: 'token_not_yet_valid', claim: 'nbf', difference: /^begins 10 min/ }],
    [{ iat: now() + 650 }, {}, { code: 'token_not_yet_valid', claim: 'iat', difference: /^was issued 10 min/ }],
    [{ exp: now() + 9e7 }, {}, { code: 'token_lifetime', claim: 'exp', expected: 'at most 1 d' }],
    [{}, { typ: 'JWT' }, { code: 'token_type', claim: 'typ', found: '"JWT"', expected: '"at+jwt"' }],
  ];
  for (const [claims, header, told] of cases) {
    const { log, ticket } = await ask(await jwt(claims, { alg: 'HS256', header }));
    t.match(log, told);
    t.match(ticket, told);
  }
});

t.test('a token of another key, or of another algorithm, is reported with the keys of the server', async (t) => {
  const server = await authorizationServer(t);
  const ask = await asking(t, { authorization_servers: server.config });
  t.match((await ask(await jwt({}, { header: { kid: 'k9' } }))).log, {
    code: 'token_signature',
    claim: 'kid',
    found: '"k9"',
    expected: /^"[^"]+" \(ES256\)$/,
  });
  const foreign = await ask(await jwt({}, { alg: 'HS256' }));
  t.match(foreign.log, { code: 'token_algorithm', claim: 'alg', found: '"HS256"', expected: '"ES256"' });
  t.match(foreign.ticket, { claim: 'alg', found: '"HS256"', expected: '"ES256"' });
});

t.test('the members of an introspection answer are reported like the claims of a token', async (t) => {
  const server = await authorizationServer(t, { changes: { verify: 'introspection' } });
  const ask = await asking(t, { authorization_servers: server.config });
  server.tokens.set('one', { active: true, iss: 'https://auth.example.com/' });
  server.tokens.set('two', { active: true, token_type: 'DPoP' });
  server.tokens.set('three', { active: true, exp: now() - 60 });
  t.match((await ask('one')).log, { code: 'token_issuer', found: '"https://auth.example.com/"' });
  t.match((await ask('two')).log, { code: 'token_type', claim: 'token_type', found: '"DPoP"', expected: '"Bearer"' });
  t.match((await ask('three')).log, { code: 'token_expired', difference: /^expired 1 min.* ago; now .*, skew 0 s$/ });
});

t.test('the answer to the client is the same whatever the token contains', async (t) => {
  const ask = await asking(t);
  const varying = /"(?:date|x-request-id|content-length)","[^"]*"|"request_id":"[^"]*"/g;
  const answered = async (claims: Record<string, unknown>) =>
    (await ask(await jwt(claims, { alg: 'HS256' }))).answer.replace(varying, '');
  const plain = await answered({ iss: 'https://evil.example' });
  t.equal(await answered({ iss: `${issuer}/` }), plain);
  t.equal(await answered({ iss: 'x'.repeat(2_000) }), plain);
  t.notMatch(plain, issuer);
  t.notMatch(await answered({ aud: 'found-word' }), /found-word/);
});

t.test(
  'log and ticket contain neither the token nor its other claims, and a huge token makes no large ticket',
  async (t) => {
    const ask = await asking(t);
    const hidden = { jti: 'hidden-jti', sub: 'hidden-sub', email: 'hidden-mail', cnf: { jkt: 'hidden-key' } };
    const hostile = `\u001b[2J\u202e\n${'\ud800'.repeat(1_000)}`;
    const list = Array.from({ length: 150 }, () => hostile.slice(0, 10));
    for (const claims of [{ iss: hostile }, { iss: list }, { iss: issuer, exp: 1 }, { iss: { a: 'hidden-iss' } }]) {
      const token = await jwt({ ...hidden, ...claims }, { alg: 'HS256' });
      const { log, ticket, ticketLength } = await ask(token);
      const text = JSON.stringify([log, ticket]);
      t.match(log, { claim: String, found: String, expected: String });
      t.notMatch(text, /hidden-/);
      t.notMatch(text, JWT_BEGINS);
      for (const part of token.split('.')) t.notOk(text.includes(part.slice(0, 60)));
      t.notMatch(text, /\\u00|\u202e|\\ud8/, 'nothing that steers, and no half of a character');
      t.ok(ticketLength < 1_500, `${ticketLength} characters`);
      t.ok(text.length < 4_000, `${text.length} characters`);
    }
  },
);

t.test('an unknown issuer is reported with the issuers that the route accepts', async (t) => {
  const other = { issuer: 'https://other.example', secret, audience, algorithms: ['HS256'] };
  const main = { issuer, secret, audience, algorithms: ['HS256'] };
  const ask = await asking(t, { authorization_servers: { main, other } });
  const { log } = await ask(await jwt({ iss: 'http://other.example' }, { alg: 'HS256' }));
  t.match(log, {
    claim: 'iss',
    found: '"http://other.example"',
    expected: /"https:\/\/auth.example.com" or "https:\/\/other.example"|"https:\/\/other.example" or/,
    difference: 'differs only by http and https',
  });
});
