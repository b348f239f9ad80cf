import t, { type Test } from 'tap';
import { Errors } from 'typebox/schema';
import { apiCalls } from '../../../src/gateway/console/api-schema.ts';
import { behind, gateway } from '../../support/gateway.ts';
import { jwt } from '../../support/tokens.ts';
import { witness } from '../../support/witness.ts';
import { readLive } from './live-reader.ts';

/** Whether the answer of a real gateway is as its schema says. */
async function fits(t: Test, admin: string | undefined, call: string, body?: unknown, query = ''): Promise<number> {
  const [method = '', path] = call.split(' ');
  const init =
    body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(`${admin}${path}${query}`, { method, ...init });
  const schema = apiCalls[call]?.answers[response.status];
  const answer = await response.json();
  const [, errors] = schema === undefined ? [false, ['no such answer']] : Errors(schema as never, answer);
  t.strictSame(errors, [], `${call} ${query} ${response.status} ${JSON.stringify(body)?.slice(0, 60)}`);
  return response.status;
}

t.test('every answer of a running gateway is as the schema of the API says', async (t) => {
  const upstream = await witness(t);
  const { adminUrl, url } = await gateway(t, behind(upstream.url, { admin: '127.0.0.1:0' }));
  const live = await readLive(t, adminUrl);
  const token = await jwt({ scope: 'orders.read' }, { alg: 'HS256' });
  await fetch(`${url}/orders/1`, { headers: { authorization: `Bearer ${token}` } });
  const refused = (await (await fetch(`${url}/admin/1`)).json()) as { ticket: string };
  t.ok(await live.has(2));
  const yaml = 'version: 1\nroutes: [{ id: r }]\n';
  const question = { method: 'GET', url: '/orders/1' };
  const calls: readonly (readonly [call: string, status: number, body?: unknown, query?: string])[] = [
    ['GET /api/decisions', 200],
    ['GET /api/decisions', 400, undefined, '?filter=x:1'],
    ['POST /api/explain', 200, question],
    ['POST /api/explain', 200, { ...question, token }],
    ['POST /api/explain', 200, { ...question, token: 'opaque' }],
    ['POST /api/explain', 200, { ...question, scope: 'orders.read' }],
    ['POST /api/explain', 200, { ...question, method: 'OPTIONS', headers: [['Origin', 'https://a.example']] }],
    ['POST /api/explain', 400, {}],
    ['POST /api/explain', 422, { ...question, yaml }],
    ['POST /api/check', 200, { yaml }],
    ['POST /api/check', 400, {}],
    ['POST /api/token', 200, { token }],
    ['POST /api/token', 200, { token: 'opaque' }],
    ['POST /api/token', 400, {}],
    ['POST /api/ticket', 200, { ticket: refused.ticket }],
    ['POST /api/ticket', 404, { ticket: 'x' }],
    ['POST /api/ticket', 400, {}],
    ['POST /api/remedy', 200, { record: live.decisions[1] }],
    ['POST /api/remedy', 200, { record: live.decisions[0] }],
    ['POST /api/remedy', 400, {}],
    ['GET /api/file', 200],
    ['GET /api/routes', 200],
    ['GET /api/reload', 200],
    ['GET /api/health', 200],
  ];
  for (const [call, status, body, query] of calls) t.equal(await fits(t, adminUrl, call, body, query), status, call);
  t.strictSame([...new Set(calls.map(([call]) => call))].sort(), Object.keys(apiCalls).sort(), 'every call was tried');
  t.strictSame(await (await fetch(`${adminUrl}/api/schema`)).json(), JSON.parse(JSON.stringify(apiCalls)));
});
