import t from 'tap';
import { behind, gateway } from '../support/gateway.ts';
import { inTime, lateness } from '../support/lateness.ts';
import { open } from '../support/raw-client.ts';
import { requestText } from '../support/request-text.ts';
import { witness } from '../support/witness.ts';

t.test('the answer to a refused upload arrives before the upload ends', async (t) => {
  const upstream = await witness(t);
  const { port } = await gateway(t, behind(upstream.url));
  const { measure } = await lateness(t);
  const client = await open(t, port);
  client.send(requestText({ method: 'POST', target: '/orders/1', headers: [['Content-Length', '500000']] }));
  client.send('some');
  const figures = await measure(async () => t.equal((await client.read({ method: 'POST' }))?.status, 401));
  inTime(t, 'not only when it reads no more of the upload, after 2 s', 1_500, figures);
});
