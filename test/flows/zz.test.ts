import t from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { connect } from 'node:net';
import { requestText } from '../support/request-text.ts';
import { witness } from '../support/witness.ts';
const size = 30 * 1024 * 1024;
for (const idle of ['300ms', '60s']) for (const wait of [100, 2500])
t.test(`${idle} ${wait}`, async (t) => {
  const upstream = await witness(t, { body: 'x'.repeat(size) });
  const { port, log } = await gateway(t, behind(upstream.url, { upstreams: { api: { url: upstream.url, timeout: { idle } } } }));
  const s = connect(port, '127.0.0.1'); let n = 0; let closed = ''; 
  s.on('close', () => closed += 'close').on('error', (e: any) => closed += e.code).on('end', () => closed += 'end');
  s.write(requestText({ target: '/public/a' }));
  s.on('data', c => n += c.length); s.pause();
  await new Promise(r => setTimeout(r, wait)); s.resume();
  await new Promise(r => setTimeout(r, 3000));
  console.error(idle, wait, n, size, closed, upstream.seen[0]?.connectionClosed, log.map(l => JSON.stringify(l)));
  s.destroy();
});
