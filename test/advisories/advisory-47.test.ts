import t from 'tap';
import { ask } from '../support/raw-client.ts';
import { requestText } from '../support/request-text.ts';
import { bench } from './bench.ts';

const names = ['Content-Length', 'content-length', 'CONTENT-LENGTH', 'cOnTeNt-LeNgTh'];

/** CVE-2026-1525: two lengths with names in different case were both forwarded. */
t.test("advisory 47: the upstream gets one length, whatever the case of the header's name", async (t) => {
  const { port, upstream } = await bench(t);
  for (const name of names) {
    const text = `POST /public/a HTTP/1.1\r\nHost: a\r\n${name}: 2\r\n\r\nok`;
    t.equal((await ask(port, text)).status, 200, name);
    t.strictSame(upstream.seen.pop()?.all('content-length'), ['2'], name);
  }
});

t.test('advisory 47: two lengths are 400, equal or not, in any case of the name', async (t) => {
  const { port, upstream } = await bench(t);
  for (const first of names) {
    for (const second of names) {
      for (const lengths of [
        [2, 2],
        [2, 3],
        [0, 2],
      ]) {
        const fields = `${first}: ${lengths[0]}\r\n${second}: ${lengths[1]}`;
        const text = `POST /public/a HTTP/1.1\r\nHost: a\r\n${fields}\r\n\r\nok`;
        t.equal((await ask(port, text)).status, 400, fields);
      }
    }
  }
  t.equal(upstream.seen.length, 0);
  t.equal((await ask(port, requestText({ method: 'POST', target: '/public/a', body: 'ok' }))).status, 200);
});
