import t from 'tap';
import { gateway } from '../support/gateway.ts';
import { ask } from '../support/raw-client.ts';
import { bearer, type RequestText, requestText } from '../support/request-text.ts';
import { active, authorizationServer } from '../support/tokens.ts';
import { type Seen, witness } from '../support/witness.ts';

const token = 'at_opaque-token-of-28';
const form = ['Content-Type', 'application/x-www-form-urlencoded'] as const;
const bearer_methods_supported = ['header', 'body', 'query'];

const needs = {
  scope: { scope: 'orders.read' },
  authenticated: { access: 'authenticated' },
  optional: { access: 'optional' },
};

const routes = Object.entries(needs).flatMap(([name, need]) => [
  { match: { path: `/${name}/{x*}` }, bearer_methods_supported, ...need },
  { match: { path: `/keep/${name}/{x*}` }, bearer_methods_supported, forward_credential: true, ...need },
]);

const places: Readonly<Record<string, (path: string) => RequestText>> = {
  header: (path) => ({ target: path, headers: [bearer(token)] }),
  query: (path) => ({ target: `${path}?a=b&access_token=${token}&c=d` }),
  body: (path) => ({ method: 'POST', target: path, headers: [form], body: `a=b&access_token=${token}&c=d` }),
};

function shown({ target, rawHeaders, body }: Seen): string {
  return JSON.stringify([target, rawHeaders, body.toString()]);
}

for (const [place, request] of Object.entries(places)) {
  t.test(`T28: a token in the ${place} reaches the upstream only with forward_credential`, async (t) => {
    const upstream = await witness(t);
    const server = await authorizationServer(t);
    server.tokens.set(token, active('orders.read'));
    const { port } = await gateway(t, {
      upstreams: { api: { url: upstream.url } },
      defaults: { upstream: 'api' },
      authorization_servers: server.config,
      routes,
    });
    for (const need of Object.keys(needs)) {
      t.equal((await ask(port, requestText(request(`/${need}/a`)))).status, 200, need);
      const kept = upstream.seen.pop() as Seen;
      t.notMatch(shown(kept), token, need);
      t.equal(kept.header('x-auth-subject'), 'alice', `${need}: it was seen here`);
      t.equal((await ask(port, requestText(request(`/keep/${need}/a`)))).status, 200, need);
      t.match(shown(upstream.seen.pop() as Seen), token, `${need}: forwarded`);
    }
  });
}
