import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import t, { type Test } from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { group } from '../support/group.ts';
import { tlsFile } from '../support/tls-file.ts';
import { until } from '../support/until.ts';

/** Starts programs: 5 s on a busy machine. */
t.setTimeout(120_000);

/** The value of `tr` in /proc/net/tcp that means the keep-alive timer is active. */
const KEEP_ALIVE = '02';

const hex = (port: number) => `:${port.toString(16).toUpperCase().padStart(4, '0')}`;

/** The active timer of the connection that `port` accepted from `from`. */
function timerOf(port: number, from: number): string | undefined {
  const rows = readFileSync('/proc/net/tcp', 'latin1')
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const row = rows.find(([, local, remote]) => local?.endsWith(hex(port)) && remote?.endsWith(hex(from)));
  return row?.[5]?.split(':')[0];
}

async function isWatched(t: Test, port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port });
  t.teardown(() => socket.destroy());
  await once(socket, 'connect');
  const { port: from } = socket.address() as AddressInfo;
  return until(() => timerOf(port, from) === KEEP_ALIVE);
}

const skip = process.platform !== 'linux' && 'only Linux says which timers its connections have';
const upstream = 'http://127.0.0.1:9';
const tls = { cert: tlsFile('server.crt'), key: tlsFile('server.key') };

t.test(
  'the gateway notices a client that vanishes: its connection has TCP keep-alive, over TLS as well',
  { skip },
  async (t) => {
    for (const changes of [{}, { listen: { host: '127.0.0.1', port: 0, tls } }]) {
      const { port } = await gateway(t, behind(upstream, changes));
      t.ok(await isWatched(t, port));
    }
  },
);

t.test('the same with workers', { skip }, async (t) => {
  const { url } = await group(t, behind(upstream), 2);
  t.ok(await isWatched(t, Number(new URL(url).port)));
});
