import { once } from 'node:events';
import { Agent, createServer, get } from 'node:http';
import t, { type Test } from 'tap';
import { startProcess } from '../../support/process.ts';
import { serving } from '../../support/serving.ts';

/** V8 prints each decision about a place in the code that creates objects. A small young generation has many of them. */
const flags = ['--trace-pretenuring-statistics', '--max-semi-space-size=1'];
const REQUESTS = 4_000;
const AT_ONCE = 16;

t.test('V8 never decides that the objects of requests live long', async (t) => {
  const url = await serving(
    t,
    createServer((_request, response) => response.end('ok')),
  );
  const config = {
    upstreams: { api: { url } },
    routes: [{ match: { path: '/a' }, access: 'public', upstream: 'api' }],
  };
  const gateway = await startProcess({ config, flags });
  t.teardown(() => gateway.stop());
  const before = gateway.output().length;
  await load(t, gateway.port);
  t.equal(gateway.output().slice(before), '');
});

async function load(t: Test, port: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  t.teardown(() => agent.destroy());
  const client = async () => {
    for (let left = REQUESTS / AT_ONCE; left > 0; left--) {
      const [response] = await once(get({ port, host: '127.0.0.1', path: '/a', agent }), 'response');
      if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`);
      await once(response.resume(), 'end');
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
}
