import t, { type Test } from 'tap';
import { corpus, skip } from '../../support/corpora.ts';
import { behind, gateway } from '../../support/gateway.ts';
import { mayReach } from '../../support/lenient-path.ts';
import { isFullSize, isLong } from '../../support/long.ts';
import { sendAll } from '../../support/many.ts';
import { requestText } from '../../support/request-text.ts';
import { type Witness, witness } from '../../support/witness.ts';

/** Many more cases with GATEHOUSE_LONG=1: 8 s in .ci/run on a busy machine. */
t.setTimeout(isLong ? 1_800_000 : 600_000);

const lists = ['patt_deep_traversal', 'patt_directory_traversal', 'patt_traversals-8-deep-exotic-encoding'];

const files = isLong
  ? ['admin', 'admin/', 'admin/users', '%61dmin', 'admin%2fusers', 'etc/passwd', 'public/../admin']
  : ['admin', 'etc/passwd'];

/** `npm test` takes every fifth line. */
const STEP = isFullSize ? 1 : 5;

/** How a line of the lists is put into a target. */
const compositions: readonly ((line: string) => string)[] = [
  (line) => `/public/${line}`,
  (line) => `/public${line}`,
  (line) => line,
  (line) => `/${line}`,
  (line) => `/public/a/b/${line}`,
];

/** A filename follows lines without a place for one. */
const endings = ['', 'admin', '/admin', '%2fadmin', '/admin/users'];

function* targets(): Generator<string> {
  for (const list of lists) {
    const lines = corpus(`path-lists/${list}.txt`).split('\n').filter(Boolean);
    for (const line of lines.filter((_, index) => index % STEP === 0)) {
      for (const filled of fill(line)) for (const compose of compositions) yield compose(filled);
    }
  }
}

function fill(line: string): string[] {
  if (!line.includes('{FILE}')) return endings.map((ending) => line + ending);
  return files.map((file) => line.replaceAll('{FILE}', file));
}

/** A target is sent as in the list. Whitespace in it makes a malformed request, which is a refusal too. */
async function sendTargets(t: Test, upstream: Witness, port: number): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  const bytes = (target: string) => requestText({ target: Buffer.from(target).toString('latin1') });
  const onAnswer = (_target: string, response: { status: number } | undefined) => {
    const status = response?.status ?? 0;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  };
  await sendAll({ port, items: targets(), bytes, onAnswer });
  const reached = upstream.seen.map(({ target }) => target).filter((target) => mayReach(target, '/admin'));
  t.same(reached.slice(0, 10), [], 'nothing that could mean /admin reached the upstream without a token');
  return statuses;
}

const strict = [
  { id: 'public', match: { path: '/public/{rest*}' }, access: 'public' },
  { id: 'admin', match: { path: '/admin/{rest*}' }, scope: 'admin' },
];
const lax = strict.map((route) => ({ ...route, encoded_slashes: 'keep', path_parameters: 'keep' }));

for (const [name, routes] of Object.entries({
  'refuse what is ambiguous': strict,
  'keep encoded slashes and parameters': lax,
})) {
  t.test(
    `no traversal of the lists leads from a public route to a protected one with routes ${name}`,
    { skip },
    async (t) => {
      const upstream = await witness(t);
      const { port } = await gateway(t, behind(upstream.url, { routes }));
      const statuses = await sendTargets(t, upstream, port);
      t.same(
        [...statuses.keys()].filter((status) => ![0, 200, 400, 401, 404].includes(status)),
        [],
        'no other answer',
      );
      t.ok((statuses.get(400) ?? 0) > 1000, 'most are refused');
      t.ok((statuses.get(200) ?? 0) > 0, 'some are harmless and pass');
    },
  );
}

t.test('the reference reading finds every kind of traversal in the lists', async (t) => {
  const written = [
    '/public/../admin',
    '/public/%2e%2e/admin',
    '/public/..%2fadmin',
    '/public/..%252fadmin',
    '/public/..;/admin',
  ];
  const more = [
    '/public/..\\admin',
    '/public/..%5cadmin',
    '/public/%c0%ae%c0%ae/admin',
    '/public/..%c0%afadmin',
    '/public//../admin',
    '/%61dmin/x',
  ];
  for (const target of [...written, ...more]) t.ok(mayReach(target, '/admin'), target);
  for (const target of ['/public/admin', '/public/.../admin', '/administrator', '/public/a%2fadmin'])
    t.notOk(mayReach(target, '/admin'), target);
});
