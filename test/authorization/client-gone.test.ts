import { connect } from 'node:net';
import t from 'tap';
import { until } from '../support/until.ts';
import { run } from './running-service.ts';

t.test('a client that disconnects while its wrong secret is checked causes no exception', async (t) => {
  const service = await run(t);
  const { port } = new URL(service.url);
  const body = 'grant_type=client_credentials';
  const head = [
    'POST /oauth2/token HTTP/1.1',
    'Host: a',
    'Authorization: Basic c2hvcDp3cm9uZw==',
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${body.length}`,
  ].join('\r\n');
  const leave = (pause: number) =>
    new Promise<void>((gone) => {
      const socket = connect(Number(port), '127.0.0.1', () => {
        socket.write(`${head}\r\n\r\n${body}`);
        setTimeout(() => socket.resetAndDestroy(), pause);
      });
      socket.on('error', () => {}).on('close', () => gone());
    });
  for (let times = 0; times < 40; times++) await Promise.all([0, 0, 1, 1, 2, 3, 4, 5].map(leave));
  t.notOk(await until(() => /"msg":"failed"/.test(service.logged()), 500), 'nothing failed');
});
