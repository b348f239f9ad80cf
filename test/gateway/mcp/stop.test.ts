import type { ServerResponse } from 'node:http';
import { queryObjects } from 'node:v8';
import t, { type Test } from 'tap';
import { Relay } from '../../../src/gateway/forward/relay.ts';
import { endpoint } from '../../support/endpoint.ts';
import { behind, gateway } from '../../support/gateway.ts';
import { jwt } from '../../support/tokens.ts';
import { until } from '../../support/until.ts';

interface Asked {
  readonly engine: string;
  readonly method: 'GET' | 'tools/call' | 'subscriptions/listen';
  readonly mcp?: object;
}

/** A request whose answer has begun with one event and a part of another. The upstream does not end it. */
async function openStream(t: Test, { engine, method, mcp = {} }: Asked) {
  const answers: ServerResponse[] = [];
  const { url } = await endpoint(t, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"a":1}\n\ndata: {"b"');
    answers.push(response);
  });
  const upstreams = { api: { url: new URL(url).origin, engine } };
  const routes = [{ id: 'tools', match: { path: '/mcp' }, mcp: { scope: { '*': 'mcp.use' }, ...mcp } }];
  const running = await gateway(t, behind(url, { upstreams, routes }));
  const params = method === 'tools/call' ? { name: 'echo' } : { notifications: { toolsListChanged: true } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const authorization = `Bearer ${await jwt({ scope: 'mcp.use' }, { alg: 'HS256' })}`;
  const stream = await fetch(`${running.url}/mcp`, {
    ...(method === 'GET' ? {} : { method: 'POST', body }),
    headers: { 'content-type': 'application/json', authorization },
  });
  t.equal(stream.status, 200);
  return { running, stream, answer: answers[0] as ServerResponse };
}

const scenes = [
  { name: 'without sessions', mcp: {}, methods: ['subscriptions/listen'] },
  { name: 'with sessions', mcp: { sessions: true }, methods: ['GET', 'subscriptions/listen'] },
] as const;

for (const engine of ['own', 'undici'])
  for (const { name, mcp, methods } of scenes) {
    const title = `${engine}, ${name}`;

    for (const method of methods)
      t.test(`${title}: a stop ends the stream of a ${method}, and its client gets a complete answer`, async (t) => {
        const { running, stream, answer } = await openStream(t, { engine, method, mcp });
        const stopped = running.stop();
        t.match(await stream.text(), /^data: \{"a":1\}\n\n/);
        await stopped;
        t.ok(await until(() => answer.destroyed), 'the upstream learns it');
        t.match(
          running.log.filter((line) => 'request_id' in line),
          [{ code: 'forwarded', level: 20 }],
        );
      });

    t.test(`${title}: a stop waits for the result of a tool`, async (t) => {
      const { running, stream, answer } = await openStream(t, { engine, method: 'tools/call', mcp });
      const stopped = running.stop();
      setTimeout(() => answer.end(':2}\n\n'), 200);
      t.equal(await stream.text(), 'data: {"a":1}\n\ndata: {"b":2}\n\n');
      await stopped;
    });
  }

t.test('a stream that begins while the gateway stops ends after its head', async (t) => {
  const waiting: (() => void)[] = [];
  const { url } = await endpoint(t, (_request, response) => {
    waiting.push(() => response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n'));
  });
  const routes = [{ id: 'tools', match: { path: '/mcp' }, mcp: { scope: { '*': 'mcp.use' }, sessions: true } }];
  const running = await gateway(t, behind(url, { upstreams: { api: { url: new URL(url).origin } }, routes }));
  const authorization = `Bearer ${await jwt({ scope: 'mcp.use' }, { alg: 'HS256' })}`;
  const asked = fetch(`${running.url}/mcp`, { headers: { authorization } });
  t.ok(await until(() => waiting.length === 1));
  const stopped = running.stop();
  waiting[0]?.();
  const stream = await asked;
  t.equal(stream.status, 200);
  await stream.text();
  await stopped;
});

t.test('an answer without content that has ended stays in no memory until the stop', async (t) => {
  const { url } = await endpoint(t, (_request, response) => void response.writeHead(204).end());
  const routes = [{ id: 'tools', match: { path: '/mcp' }, mcp: { scope: { '*': 'mcp.use' }, sessions: true } }];
  const running = await gateway(t, behind(url, { upstreams: { api: { url: new URL(url).origin } }, routes }));
  const authorization = `Bearer ${await jwt({ scope: 'mcp.use' }, { alg: 'HS256' })}`;
  const requests = 50;
  for (let count = 0; count < requests; count++)
    t.equal((await fetch(`${running.url}/mcp`, { headers: { authorization } })).status, 204);
  // The last ones may still belong to a connection.
  t.ok(await until(() => Number(queryObjects(Relay)) < requests / 2), 'the other relays are gone');
});
