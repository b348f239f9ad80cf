import { join } from 'node:path';
import t from 'tap';
import { stringify } from 'yaml';
import { command } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';

t.setTimeout(60_000);

const files = {
  gateway: {
    upstreams: { api: { url: 'http://127.0.0.1:9' } },
    defaults: { upstream: 'api' },
    routes: [{ match: { path: '/a' }, access: 'public' }],
  },
  authorization: {
    issuer: 'http://localhost:8081',
    resources: ['https://api.example.com'],
    storage: 'sqlite:data/a.db',
  },
};

for (const [program, config] of Object.entries(files))
  t.test(`health of the ${program}: 0 while it is ready, 1 when nothing answers`, async (t) => {
    const [listen, health] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
    const name = `${program}.yaml`;
    const file = join(t.testdir({ [name]: stringify({ version: 1, listen, health, ...config }) }), name);
    const running = command(t, [program, '--config', file]);
    t.ok(await running.prints('"msg"'), running.stderr());
    const ready = await command(t, ['health', '--config', file]).ended();
    t.strictSame([ready.status, ready.stderr], [0, '']);
    t.match(ready.stdout, '"status":"ready"');
    running.process.kill('SIGTERM');
    t.equal((await running.ended()).status, 0);
    const gone = await command(t, ['health', '--config', file]).ended();
    t.strictSame([gone.status, gone.stdout], [1, '']);
    t.match(gone.stderr, `Nothing answers at http://${health}/readyz`);
  });
