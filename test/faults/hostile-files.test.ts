import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { command } from '../support/command.ts';
import { skipWithoutFileRights, underFileRights } from '../support/file-rights.ts';
import { inTime, type Lateness, lateness } from '../support/lateness.ts';
import { highWater } from '../support/memory.ts';
import { connectTo } from '../support/raw-client.ts';
import { requestText } from '../support/request-text.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { witness } from '../support/witness.ts';
import { type Program, program } from './support/program.ts';
import { sized } from './support/size.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(600_000);

const ROUNDS = sized(1, 2, 20);
/** Files that are also used to start both programs. */
const STARTED = sized(2, 5, 5);
/** MiB of the largest accepted file, and which part of that is tested. */
const LARGEST = 4;
const PART = sized(0.25, 1, 1);
const MEBIBYTE = 1024 * 1024;
/** MiB that the process may grow by, in addition to the growth from the largest accepted file. */
const GROWTH = 384;

const good = (upstream: string, more = '') => `log: { level: info, format: json }
upstreams: { api: { url: "${upstream}" } }
defaults: { upstream: api }
routes:
  - { match: { path: /a }, access: public }
${more}`;

/** As many routes as fit into a file of nearly the maximum size. */
function large(text: string, bytes: number): string {
  const lines: string[] = [];
  for (let index = 0, length = text.length; length < bytes; index++) {
    const line = `  - { id: route-${index}, match: { methods: [GET], path: "/large/${index}/{name}" }, access: public }\n`;
    lines.push(line);
    length += line.length;
  }
  return text + lines.slice(0, -1).join('');
}

const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join('');

interface Row {
  /** Replaces a file that does not exist. */
  readonly put: (file: string, good: string) => void;
  readonly told: RegExp;
}

const text = (told: RegExp, change: (good: string) => string | Buffer): Row => ({
  told,
  put: (file, good) => writeFileSync(file, change(good)),
});

/** A few letters that stand for as many values as there are atoms. */
const laughs = (depth: number) =>
  `lol0: &lol0 lol\n${lines(depth, (index) => `lol${index + 1}: &lol${index + 1} [${Array(10).fill(`*lol${index}`).join(', ')}]\n`)}`;

const bad: Readonly<Record<string, Row>> = {
  'of 50 MB': {
    told: /the file has 50\.0 MiB; the limit is 4 MiB/,
    put(file, good) {
      const descriptor = openSync(file, 'w');
      const block = Buffer.from(good.padEnd(MEBIBYTE, '#'));
      for (let count = 0; count < 50; count++) writeSync(descriptor, block);
      closeSync(descriptor);
    },
  },
  'of a billion laughs': text(/the file has more than 100000 values/, (good) => good + laughs(12)),
  'of laughs by merging': text(
    /the file has more than 100000 values/,
    (good) =>
      `${good}m0: &m0 { a: b }\n${lines(40, (index) => `m${index + 1}: &m${index + 1} { <<: [*m${index}, *m${index}] }\n`)}`,
  ),
  'of anchors and as many aliases': text(
    /unknown key/,
    (good) => `${good}many: [${lines(20_000 * PART, (index) => `&a${index} x, *a${index}, `)}]\n`,
  ),
  'of anchors of one name': text(
    /unknown key/,
    (good) => `${good}many: [${lines(20_000 * PART, () => '&a x, *a, ')}]\n`,
  ),
  'of a circle of aliases': text(/an alias inside its own anchor/, (good) => `${good}circle: &a [*a]\n`),
  'of very many keys in one map': text(
    /unknown key/,
    (good) => good + lines(100_000 * PART, (index) => `key${index}: 1\n`),
  ),
  'of 100,000 lists inside each other': text(/nested too deep/, (good) => `${good}deep: ${'['.repeat(100_000)}\n`),
  'of lists inside each other by aliases': text(
    /nested too deep/,
    (good) =>
      `${good}deep:\n${lines(
        20,
        (index) => `  - &d${index} ${'['.repeat(96)}${index === 0 ? 'x' : `*d${index - 1}`}${']'.repeat(96)}\n`,
      )}`,
  ),
  'of 1,000 maps inside each other': text(
    /nested too deep/,
    (good) => `${good}deep:\n${lines(1_000, (index) => `${' '.repeat(index + 1)}a:\n`)}`,
  ),
  'of one long line': text(/not closed|unknown key/, (good) => `${good}line: "${'x'.repeat(3 * PART * MEBIBYTE)}\n`),
  'of braces that want quotes': text(
    /must be quoted/,
    (good) => good + lines(20_000 * PART, (index) => `  - { match: { path: /b/${index}/{id} } }\n`),
  ),
  'of unknown keys and secrets': text(
    /unknown key/,
    (good) => good + lines(20_000 * PART, (index) => `secret${index}: word${index}\n`),
  ),
  'of routes that all have the same mistake': text(
    /^expected .*, found|is not one of/,
    (good) =>
      good +
      lines(10_000 * PART, (index) => `  - { match: { path: /b/${index} }, scope: [a], access: [b], methods: c }\n`),
  ),
  'with a NUL byte': text(/a NUL byte/, (good) => `${good}rea\0lm: a\n`),
  'that was to be longer, and ends in NUL bytes': text(/a NUL byte/, (good) => good.slice(0, -20).padEnd(4096, '\0')),
  'of NUL bytes': text(/a NUL byte/, () => Buffer.alloc(100_000)),
  'that is not UTF-8': text(/a byte that is not UTF-8/, (good) =>
    Buffer.concat([Buffer.from(`${good}realm: M`), Buffer.from('\xfcller\n', 'latin1')]),
  ),
  'in UTF-16': text(/the file is UTF-16/, (good) => Buffer.from(`\ufeff${good}`, 'utf16le')),
  'with a control character': text(/a control character \(U\+001B\)/, (good) => `${good}realm: "\x1b[31m"\n`),
  'that nobody may read': {
    told: /cannot be read \(EACCES: the program may not read it\)/,
    put(file, good) {
      writeFileSync(file, good);
      chmodSync(file, 0);
    },
  },
  'that is a directory': { told: /cannot be read \(EISDIR: it is a directory\)/, put: (file) => mkdirSync(file) },
  'that is a pipe': { told: /cannot be read: it is a pipe or a device/, put: (file) => spawnSync('mkfifo', [file]) },
  'that is a link to a device without end': {
    told: /cannot be read: it is a pipe or a device/,
    put: (file) => symlinkSync('/dev/zero', file),
  },
  'that is a link to itself': {
    told: /cannot be read \(ELOOP: its symbolic links form a loop\)/,
    put: (file) => symlinkSync(basename(file), file),
  },
  'that is gone': { told: /the file does not exist/, put: () => {} },
};

/** The answers to requests at a steady rate, and how long each took. */
interface Steady {
  readonly wrong: readonly string[];
  asked(): number;
  /** Milliseconds of the slowest one since the last call. */
  slowest(): number;
  stop(): Promise<void>;
}

function steady(port: number): Steady {
  const wrong: string[] = [];
  let [going, asked, slowest] = [true, 0, 0];
  const work = async () => {
    const client = await connectTo(port);
    while (going) {
      const start = performance.now();
      client.send(requestText({ target: '/a' }));
      const answer = await client.read({ deadline: 60_000 });
      slowest = Math.max(slowest, performance.now() - start);
      asked++;
      if (answer?.status !== 200) wrong.push(String(answer?.status));
      await pause(10);
    }
    client.destroy();
  };
  const over = Promise.all([work(), work()]);
  return {
    wrong,
    asked: () => asked,
    slowest() {
      const most = slowest;
      slowest = 0;
      return most;
    },
    async stop() {
      going = false;
      await over;
    },
  };
}

interface Scene {
  readonly served: Program;
  /** The complete active file. */
  readonly text: string;
  /** In one step, as an editor or Kubernetes replaces a file. */
  replace(put: (file: string) => void): void;
  reload(): Promise<{ readonly status: number; readonly problems: readonly string[] }>;
}

async function scene(t: Test): Promise<Scene> {
  const { url } = await witness(t);
  const directory = temporaryFolder(t);
  chmodSync(directory, 0o755);
  let text = '';
  const served = await program(
    t,
    'gateway',
    ({ port, admin }) => {
      const written = good(url);
      text = `version: 1\nlisten: 127.0.0.1:${port}\nadmin: 127.0.0.1:${admin}\n${written}`;
      return written;
    },
    { directory, wrapper: underFileRights },
  );
  const next = join(directory, 'next', 'gateway.yaml');
  mkdirSync(join(directory, 'next'));
  return {
    served,
    text,
    replace(put) {
      rmSync(next, { recursive: true, force: true });
      rmSync(served.file, { recursive: true, force: true });
      put(next);
      if (lstatSync(next, { throwIfNoEntry: false }) !== undefined) renameSync(next, served.file);
    },
    async reload() {
      const answer = await fetch(`${served.adminUrl}/reload`, { method: 'POST' });
      const { problems = [] } = (await answer.json()) as {
        problems?: { file: string; line: number; column: number; message: string }[];
      };
      return {
        status: answer.status,
        problems: problems.map((each) => `${each.file}:${each.line}:${each.column}: ${each.message}`),
      };
    },
  };
}

const refusals = ({ served }: Scene) =>
  served
    .output()
    .split('\n')
    .filter((line) => line.includes('the configuration was rejected'));

/** Milliseconds of the slowest request since the last call. Waits for requests in progress. */
async function slowestOf(t: Test, load: Steady): Promise<number> {
  const asked = load.asked();
  t.ok(await until(() => load.asked() > asked + 3, 30_000), 'requests go on');
  return load.slowest();
}

interface Meanwhile {
  readonly load: Steady;
  readonly late: Lateness;
  /** Milliseconds that a request may wait. */
  readonly patience: number;
}

async function refused(t: Test, here: Scene, { put, told }: Row, { load, late, patience }: Meanwhile): Promise<void> {
  const before = refusals(here).length;
  here.replace((file) => put(file, here.text));
  load.slowest();
  const begun = performance.now();
  const { status, problems } = await here.reload();
  const waited = await slowestOf(t, load);
  const figures = await late.between(begun, performance.now());
  t.equal(status, 422);
  t.ok(
    problems.some((problem) => told.test(problem)),
    String(problems[0]),
  );
  t.ok(problems.length <= 101, `${problems.length} problems`);
  const logged = refusals(here).slice(before);
  t.ok(logged.length > 0 && logged.every((line) => told.test(JSON.parse(line).problems.join('\n'))), 'it is logged');
  inTime(t, 'a request beside it', patience, { ...figures, took: waited });
}

t.test(
  `${Object.keys(bad).length} hostile files under load: the previous file stays active, and the reason is reported`,
  async (t) => {
    const here = await scene(t);
    const { served, text, replace, reload } = here;
    const load = steady(served.port);
    const late = await lateness(t);
    await slowestOf(t, load);
    replace((file) => writeFileSync(file, large(text, PART * LARGEST * MEBIBYTE)));
    const begun = performance.now();
    t.equal((await reload()).status, 200, `a file of ${PART * LARGEST} MiB is taken`);
    const took = performance.now() - begun;
    const held = await slowestOf(t, load);
    const before = highWater(served.pid);
    t.comment(
      `a good file of ${PART * LARGEST} MiB: ${took.toFixed(0)} ms, and a request waits for ${held.toFixed(0)}`,
    );
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, row] of Object.entries(bad)) {
        const skip = name === 'that nobody may read' && skipWithoutFileRights;
        await t.test(`a file ${name}`, { skip }, async (t) => {
          await refused(t, here, row, { load, late, patience: 2 * held + 100 });
        });
      }
    replace((file) => writeFileSync(file, text));
    t.equal((await reload()).status, 200, 'and a good one is taken up after all of them');
    await load.stop();
    t.strictSame(load.wrong, [], 'every request was answered by the file before');
    const grown = (highWater(served.pid) - before) / 1024;
    t.ok(grown < GROWTH, `most memory: ${(before / 1024).toFixed(0)} MiB, and ${grown.toFixed(0)} more`);
    t.comment(`most memory: ${(before / 1024).toFixed(0)} MiB, and ${grown.toFixed(0)} more; ${load.asked()} requests`);
    t.equal(served.child.exitCode, null, 'it lives');
  },
);

// The following tests do not depend on time.
t.jobs = 3;

void t.test('a byte order mark is not part of the file', async (t) => {
  const { served, text, replace, reload } = await scene(t);
  replace((file) => writeFileSync(file, `\ufeff${text.replace('/a }', '/b }')}`));
  t.strictSame(await reload(), { status: 200, problems: [] });
  t.equal((await fetch(`${served.url}/b`)).status, 200);
  replace((file) => writeFileSync(file, `\ufeffrealmm: a\n${text}`));
  t.match(
    (await reload()).problems,
    [/gateway\.yaml:1:1: unknown key `realmm`/],
    'places are those that an editor shows',
  );
});

void t.test('a file that is half written, and completed later, is loaded whole at the next reload', async (t) => {
  const here = await scene(t);
  const { served, text } = here;
  const next = `${text}  - { match: { path: /later }, access: public }\n  - { match: { path: /last }, access: public }\n`;
  const half = next.lastIndexOf('access: public }\n  - { match: { path: /last');
  for (let round = 0; round < ROUNDS; round++) {
    const before = refusals(here).length;
    writeFileSync(served.file, next.slice(0, half));
    t.ok(await until(() => refusals(here).length > before), 'half of it is refused');
    t.equal((await fetch(`${served.url}/a`)).status, 200);
    t.equal((await fetch(`${served.url}/later`)).status, 404);
    appendFileSync(served.file, next.slice(half));
    t.equal((await here.reload()).status, 200, 'it opens something, and was written in place');
    t.ok(await until(async () => (await fetch(`${served.url}/last`)).status === 200), 'all of it serves');
    writeFileSync(served.file, text);
    t.ok(await until(async () => (await fetch(`${served.url}/last`)).status === 404));
  }
});

void t.test('a key file that becomes a pipe is reported, and blocks nothing', async (t) => {
  const { url } = await witness(t);
  const directory = temporaryFolder(t);
  const keys = join(directory, 'keys.json');
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  writeFileSync(keys, JSON.stringify({ keys: [{ ...key, alg: 'ES256', kid: 'a' }] }));
  const server = `authorization_servers: { main: { issuer: "https://a.example", audience: a, jwks_file: "${keys}" } }\n`;
  const served = await program(t, 'gateway', () => good(url, `  - { match: { path: /b }, scope: s }\n${server}`), {
    directory,
  });
  spawnSync('mkfifo', [`${keys}.next`]);
  renameSync(`${keys}.next`, keys);
  t.ok(await until(() => /key file cannot be read: it is a pipe/.test(served.output())), 'it is logged');
  t.equal((await fetch(`${served.url}/a`)).status, 200);
  served.child.kill('SIGTERM');
  t.ok(await until(() => served.child.exitCode !== null), 'it ends');
});

void t.test('neither program starts with such a file, and each says why in a line', async (t) => {
  const directory = temporaryFolder(t);
  const names = ['of 50 MB', 'that is not UTF-8', 'that is a directory', 'with a NUL byte', 'that is a link to itself'];
  for (const name of names.slice(0, STARTED)) {
    for (const kind of ['gateway', 'authorization']) {
      const file = join(directory, `${kind}-${name.replaceAll(' ', '-')}.yaml`);
      const { put, told } = bad[name] as Row;
      put(file, `version: 1\n${good('http://127.0.0.1:1')}`);
      const { status, stdout, stderr } = await command(t, [kind, '--config', file]).ended();
      t.equal(status, 1, `${kind} ${name}`);
      const [line = ''] = stderr.split('\n');
      t.match(line, /^.*\.yaml:\d+:\d+: error: /, `${kind} ${name}`);
      t.match(line, told, `${kind} ${name}`);
      t.equal(stdout, '');
    }
  }
});
