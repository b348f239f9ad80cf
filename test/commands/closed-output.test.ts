import { join } from 'node:path';
import t from 'tap';
import { stringify } from 'yaml';
import { command } from '../support/command.ts';

/** Starts the program for each command. */
t.setTimeout(120_000);

const file = {
  version: 1,
  upstreams: { api: { url: 'http://127.0.0.1:9' } },
  defaults: { upstream: 'api' },
  routes: [{ match: { path: '/a' }, access: 'public' }],
};

for (const name of ['--help', 'routes', 'version'])
  t.test(`if the reader of standard output has left, ${name} ends without a message, with status 141`, async (t) => {
    const config = join(t.testdir({ 'gateway.yaml': stringify(file) }), 'gateway.yaml');
    const running = command(t, name === 'routes' ? [name, '--config', config] : [name]);
    running.process.stdout?.destroy();
    const { status, stderr } = await running.ended();
    t.strictSame([status, stderr], [141, '']);
  });
