import t from 'tap';
import { signingKey } from '../support/keys.ts';
import { bearer } from '../support/request-text.ts';
import { active, authorizationServer, jwt } from '../support/tokens.ts';
import { type Behaviour, type Seen, witness } from '../support/witness.ts';
import { bench } from './bench.ts';

const answering = (value: unknown): Behaviour => ({
  headers: [['content-type', 'application/json']],
  body: JSON.stringify(value),
});

/** Everything that another service got. */
function shown({ target, rawHeaders, body }: Seen): string {
  return JSON.stringify([target, rawHeaders, body.toString()]);
}

/** CVE-2026-41181, CVE-2026-41263: the credentials of the request were also sent to another service. */
t.test(
  'advisory 30: key sets get nothing of the request, and introspection gets only the token to check',
  async (t) => {
    const keys = await witness(t, answering({ keys: [(await signingKey('ES256')).jwk] }));
    const introspection = await witness(t, answering(active('orders.read')));
    const changes = { jwks_uri: `${keys.url}/jwks`, introspection_endpoint: `${introspection.url}/introspect` };
    const server = await authorizationServer(t, { changes });
    const { send, upstream } = await bench(t, { authorization_servers: server.config });
    for (const token of [await jwt({ scope: 'orders.read' }), 'opaque-token']) {
      const headers = [bearer(token), ['Cookie', 'session=s3cret'], ['X-Api-Key', 's3cret']] as const;
      t.equal((await send({ method: 'POST', target: '/orders/1?key=s3cret', headers, body: 's3cret' })).status, 200);
    }
    t.equal(upstream.seen.length, 2);
    t.equal(keys.seen.length, 1);
    t.equal(introspection.seen.length, 1);
    for (const seen of [...keys.seen, ...introspection.seen]) t.notMatch(shown(seen), /s3cret/);
    t.strictSame(keys.seen[0]?.all('authorization'), [], 'keys are for everybody');
    t.match(introspection.seen[0]?.header('authorization'), /^Basic /, 'the gateway speaks for itself');
    t.equal(new URLSearchParams(introspection.seen[0]?.body.toString()).get('token'), 'opaque-token');
  },
);

t.test('advisory 30: no other client sees an error of the upstream', async (t) => {
  const keys = await witness(t, answering({ keys: [] }));
  const server = await authorizationServer(t, { changes: { jwks_uri: `${keys.url}/jwks` } });
  const { send, upstream } = await bench(t, { authorization_servers: server.config });
  const before = keys.seen.length;
  for (const status of [401, 403, 404, 500, 503]) {
    upstream.behave({ status });
    t.equal((await send({ target: '/public/1', headers: [['Cookie', 'session=s3cret']] })).status, status);
  }
  t.equal(upstream.seen.length, 5);
  t.equal(server.introspection.calls.length, 0);
  for (const seen of keys.seen.slice(before)) t.notMatch(shown(seen), /s3cret/);
});
