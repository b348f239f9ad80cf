import t from 'tap';
import { configuration } from '../running-service.ts';
import { exchange } from './exchange.ts';

const grant = 'authorization_code';

t.test('a code is exchanged once, for tokens with what was granted', async (t) => {
  const { ask, code, redeeming, access, refusal, audited } = await exchange(t);
  const text = await code({ scope: 'orders.read orders.write' });
  const answer = await ask(grant, 'web', redeeming(text));
  t.match(answer, {
    token_type: 'Bearer',
    scope: 'orders.read orders.write',
    expires_in: Number,
    refresh_token: /^rt_/,
  });
  t.match(await access(answer.access_token), {
    clientId: 'web',
    subject: 'alice',
    audience: ['https://api.example.com'],
  });
  t.strictSame(await refusal(grant, 'web', redeeming(text)), {
    code: 'code_used',
    detail: 'code: replayed',
    description: (await refusal(grant, 'web', redeeming(text)))?.description,
  });
  t.match(audited[0], {
    event: 'code_replayed',
    client_id: 'web',
    sub: 'alice',
    grant_id: String,
    detail: 'replayed',
    address: '192.0.2.1',
    request_id: 'r1',
  });
  t.equal(await access(answer.access_token), undefined, 'what came of it ends');
});

t.test(
  'a code exchange that differs from its authorization request is refused, and the log says in what',
  async (t) => {
    const { code, redeeming, refusal, audited, ask } = await exchange(t);
    const text = await code();
    const tries: readonly [client: string, form: Record<string, string>, detail: string, event: string | undefined][] =
      [
        ['web-retry', redeeming(text), 'wrong_client', 'code_refused'],
        [
          'web',
          redeeming(text, { code_verifier: 'another-verifier-that-is-long-enough-too-of-course' }),
          'mismatch',
          'code_refused',
        ],
        ['web', redeeming(text, { redirect_uri: 'https://other.example' }), 'mismatch', 'code_refused'],
        ['web', redeeming(text, { code_verifier: '' }), 'mismatch', 'code_refused'],
        ['web', redeeming('co_unknown'), 'unknown', undefined],
      ];
    for (const [client, form, detail, event] of tries) {
      const before = audited.length;
      t.match(await refusal(grant, client, form), { code: 'invalid_grant', detail: `code: ${detail}` }, detail);
      t.equal(audited[before]?.event, event, detail);
    }
    t.match(audited[0], {
      client_id: 'web-retry',
      sub: 'alice',
      detail: 'wrong_client',
      address: '192.0.2.1',
      request_id: 'r1',
    });
    t.match(await refusal(grant, 'web', {}), {
      code: 'invalid_request',
      description: 'The parameter code is missing.',
    });
    t.ok(await ask(grant, 'web', redeeming(text)), 'and a right one still passes');
  },
);

t.test('a code for a session key gives no tokens, and a code expires after its time', async (t) => {
  const { code, redeeming, refusal, clock } = await exchange(t);
  const other = await code({ use: 'session' });
  t.match(await refusal(grant, 'web', redeeming(other)), { code: 'invalid_grant' });
  const late = await code();
  clock.advance(60_000);
  t.match(await refusal(grant, 'web', redeeming(late)), { code: 'invalid_grant', detail: /^code: / });
});

t.test('the code of a user who no longer exists is refused', async (t) => {
  const { code, redeeming, refusal } = await exchange(t);
  t.match(await refusal(grant, 'web', redeeming(await code({ subject: 'nobody' }))), { code: 'invalid_grant' });
});

t.test(
  'a client may request some of the resources, and gets only those for which it is still registered',
  async (t) => {
    const { code, redeeming, ask, access, refusal } = await exchange(t);
    const audience = ['https://api.example.com', 'https://other.example.com'];
    const whole = await ask(grant, 'web', redeeming(await code({ audience })));
    t.strictSame((await access(whole.access_token))?.audience, audience);
    const some = await ask(
      grant,
      'web',
      redeeming(await code({ audience }), { resource: 'https://other.example.com' }),
    );
    t.strictSame((await access(some.access_token))?.audience, ['https://other.example.com']);
    const form = redeeming(await code(), { resource: 'https://third.example.com' });
    t.match(await refusal(grant, 'web', form), { code: 'invalid_target' });
    const less = await ask(grant, 'web', redeeming(await code({ scope: 'orders.read admin' })));
    t.equal(less.scope, 'orders.read');
    t.match(await refusal(grant, 'web', redeeming(await code({ scope: 'admin' }))), { code: 'invalid_scope' });
  },
);

t.test('the decision of the store counts, whatever was read before', async (t) => {
  const { code, redeeming, refusal, overtake, ask, service } = await exchange(t);
  const text = await code();
  overtake({ redeemCode: async () => 'replayed' });
  t.match(await refusal(grant, 'web', redeeming(text)), { code: 'code_used', detail: 'code: replayed' });
  let asked = 0;
  const { redeemCode } = service.records;
  overtake({
    redeemCode: (claim, tokens) =>
      asked++ === 0 ? Promise.resolve('rekeyed' as const) : redeemCode.call(service.records, claim, tokens),
  });
  t.ok(await ask(grant, 'web', redeeming(text)), 'with the key that came meanwhile');
  t.equal(asked, 2);
});

t.test('a client without the refresh_token grant gets no refresh token', async (t) => {
  const { code, redeeming, ask } = await exchange(t, {
    clients: configuration().clients.map((client) => ({ ...client, grant_types: ['authorization_code'] })),
  });
  const answer = await ask(grant, 'web', redeeming(await code()));
  t.equal(answer.refresh_token, undefined);
});
