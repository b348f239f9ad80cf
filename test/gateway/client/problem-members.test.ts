import t from 'tap';
import { behind, gateway } from '../../support/gateway.ts';
import { jwt } from '../../support/tokens.ts';
import { witness } from '../../support/witness.ts';

interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly scope?: string;
}

t.test('the body says in what way a token is malformed, and never repeats it', async (t) => {
  const { url: api } = await witness(t);
  const { url } = await gateway(t, behind(api));
  const rows: readonly (readonly [string, RegExp])[] = [
    ['Bearer', /The token is empty\.$/],
    ['Bearer "secret"', /contains an invalid character\.$/],
  ];
  for (const [authorization, detail] of rows) {
    const problem = (await (await fetch(`${url}/orders/1`, { headers: { authorization } })).json()) as Problem;
    t.equal(problem.code, 'credential_malformed', authorization);
    t.match(problem.detail, detail, authorization);
    t.notMatch(problem.detail, 'secret', authorization);
  }
});

t.test('a client without credentials learns only that they are needed (RFC 6750 §3.1)', async (t) => {
  const { url: api } = await witness(t);
  const { url } = await gateway(t, behind(api));
  const attempts = [fetch(`${url}/orders/1`), fetch(`${url}/orders/1`, { headers: { authorization: 'Basic YTpi' } })];
  const details = await Promise.all(attempts.map(async (each) => ((await (await each).json()) as Problem).detail));
  t.strictSame([...new Set(details)], ['No credentials sent. WWW-Authenticate lists what this route accepts.']);
});

t.test(
  'the body of a 403 names the scope of the challenge; the body for an invalid token names no scope',
  async (t) => {
    const { url: api } = await witness(t);
    const { url } = await gateway(t, behind(api));
    const token = await jwt({ scope: 'orders.read' }, { alg: 'HS256' });
    const ask = (authorization: string) => fetch(`${url}/admin/x`, { headers: { authorization } });
    const response = await ask(`Bearer ${token}`);
    t.match(response.headers.get('www-authenticate'), 'scope="admin"');
    t.match(await response.json(), { status: 403, code: 'scope_insufficient', scope: 'admin' });
    const bad = (await (await ask('Bearer a.b.c')).json()) as Problem;
    t.equal(bad.scope, undefined);
  },
);
