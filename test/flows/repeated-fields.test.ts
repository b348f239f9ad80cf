import t, { type Test } from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { ask } from '../support/raw-client.ts';
import { bearer, type RequestText, requestText } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { witness } from '../support/witness.ts';

const routes = [
  { id: 'plain', match: { path: '/plain' }, scope: 'read', when: 'request.query.debug != "1"' },
  { id: 'env', match: { path: '/env' }, scope: 'read', when: 'request.headers["x-env"] != "prod"' },
  { id: 'do', match: { path: '/do' }, scope: 'read' },
  { id: 'delete', match: { path: '/do', query: { op: 'delete' } }, scope: 'admin' },
  { id: 'in-prod', match: { path: '/do', headers: { 'X-Env': 'prod' } }, scope: 'admin' },
  { id: 'free', match: { path: '/free' }, scope: 'read' },
];

async function bench(t: Test, changes: object = {}) {
  const upstream = await witness(t);
  const { port, log } = await gateway(t, behind(upstream.url, { routes, ...changes }));
  const token = bearer(await jwt({ scope: 'read' }, { alg: 'HS256' }));
  const send = (target: string, headers: RequestText['headers'] = []) =>
    ask(port, requestText({ target, headers: [token, ...headers] }));
  return { upstream, log, send };
}

const env = (name: string, value = 'prod') => [name, value] as const;

const doubtful: readonly (readonly [target: string, headers?: RequestText['headers']])[] = [
  ['/plain?debug=1&debug=1'],
  ['/plain?debug=0&DEBUG=1'],
  ['/plain?a=0;debug=1'],
  ['/env', [env('X-Env'), env('X-Env')]],
  ['/env', [env('X_Env')]],
  ['/do?OP=delete'],
  ['/do?op[]=delete'],
  ['/do?op%5B%5D=delete'],
  ['/do?a=b;op=delete'],
  ['/do?+op=delete'],
  ['/do', [env('X_Env')]],
  ['/do', [env('X-Env', 'test'), env('x_env')]],
];

t.test(
  'a field that a condition or `when` reads is 400 if repeated, or in a spelling that an upstream folds',
  async (t) => {
    const { send, upstream } = await bench(t);
    for (const [target, headers] of doubtful) {
      const response = await send(target, headers);
      const what = `${target} ${JSON.stringify(headers)}`;
      t.equal(response.status, 400, what);
      t.equal(JSON.parse(response.body.toString()).code, 'match_repeated', what);
    }
    t.strictSame(upstream.seen, []);
    for (const [target, headers] of doubtful)
      t.equal((await send(`/free${target.replace(/^[^?]*/, '')}`, headers)).status, 200, 'where nothing reads it');
    t.equal((await send('/plain?debug=1')).status, 403);
    t.equal((await send('/plain?debug=0&a=1&a=2')).status, 200);
    t.equal((await send('/do?op=view')).status, 200);
    t.equal((await send('/do?op=delete')).status, 403);
  },
);

t.test('in shadow mode it is recorded as a refusal, and passes', async (t) => {
  const { send, upstream, log } = await bench(t, { mode: 'shadow' });
  for (const [target, headers] of doubtful) {
    t.equal((await send(target, headers)).status, 200, target);
    t.match(JSON.stringify(log.at(-1)), 'match_repeated');
  }
  t.equal(upstream.seen.length, doubtful.length);
});
