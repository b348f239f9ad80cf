import t from 'tap';
import { corpus, skip } from '../support/corpora.ts';
import { sendAll } from '../support/many.ts';
import { requestText } from '../support/request-text.ts';
import { bench } from './bench.ts';

const lists = ['oauth2-proxy_openredirects', 'patt_Open-Redirect-payloads', 'patt_openredirects'];

/** Places where a program may read an address to redirect to. */
const compositions: readonly ((line: string) => string)[] = [
  (line) => (line.startsWith('/') ? line : `/${line}`),
  (line) => `/public?rd=${line}`,
];

function* targets(): Generator<string> {
  for (const list of lists)
    for (const line of corpus(`redirect-lists/${list}.txt`).split('\n').filter(Boolean))
      for (const compose of compositions) yield compose(line);
}

/** CVE-2021-21291, GHSA-5m6c-jp6f-2vcv: open redirects. */
t.test('advisory 20: no request makes the gateway redirect anywhere', { skip }, async (t) => {
  const { port } = await bench(t);
  const statuses = new Set<number>();
  const redirecting: string[] = [];
  await sendAll({
    port,
    items: targets(),
    bytes: (target) =>
      requestText({
        target: Buffer.from(target).toString('latin1'),
        headers: [
          ['X-Forwarded-Host', 'evil.example'],
          ['X-Forwarded-Uri', '//evil.example'],
        ],
      }),
    onAnswer: (target, response) => {
      if (response === undefined) return;
      statuses.add(response.status);
      const names = response.headers.map(([name]) => name.toLowerCase());
      if (names.some((name) => ['location', 'refresh', 'content-location'].includes(name))) redirecting.push(target);
    },
  });
  t.same(redirecting, []);
  t.same([...statuses].sort(), [200, 400, 404], 'some passed, some were refused, none was sent elsewhere');
});
