// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this
import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { Agent, request } from 'undici';
import { build } from '../../tools/container/build.ts';
import { parseDockerfile } from '../../tools/container/dockerfile.ts';
import { skipWithoutMounts } from '../../tools/container/run.ts';
import { freePort } from '../support/free-port.ts';
import { serving } from '../support/serving.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { container, images, running } from './container.ts';

/** The build of the image runs `npm ci`, which fetches every package: 32 s, and 379 s over a slow network. */
t.setTimeout(900_000);

const MiB = 1024 * 1024;
const text = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8');

t.test('base images are arguments', async (t) => {
  const stages = parseDockerfile(text, { RUNTIME_IMAGE: 'registry.example.com/base:1', NODE_IMAGE: 'node:24-slim' });
  const from = new Map(stages.map((stage) => [stage.name, stage.from]));
  t.equal(from.get('runtime'), 'registry.example.com/base:1');
  t.equal(from.get('build'), 'node:24-slim');
  t.equal(from.get('dependencies'), 'node:24-slim');
});

t.test(
  "an image for another platform needs no emulation: programs run only in stages for the builder's platform",
  async (t) => {
    const stages = parseDockerfile(text);
    for (const { name, platform, instructions } of stages) {
      const runs = instructions.some(({ word }) => word === 'RUN');
      t.equal(platform, runs ? 'build' : undefined, name);
    }
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
    const shipped = Object.entries<{ dev?: boolean; os?: string[]; cpu?: string[] }>(packages);
    t.strictSame(
      shipped.filter(([, { dev, os, cpu }]) => dev !== true && (os ?? cpu) !== undefined).map(([path]) => path),
      [],
      'and no dependency of production is for one platform',
    );
  },
);

t.test('every file in a COPY is in the repository, and .dockerignore includes it', async (t) => {
  const root = new URL('../../', import.meta.url);
  const letIn = new Set(
    readFileSync(new URL('.dockerignore', root), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1)),
  );
  const copies = parseDockerfile(text).flatMap(({ instructions }) =>
    instructions.filter(({ word, flags }) => word === 'COPY' && flags.from === undefined),
  );
  const sources = copies.flatMap(({ args }) => args.slice(0, -1));
  t.ok(sources.length > 8);
  for (const source of sources) {
    t.ok(existsSync(new URL(source, root)), source);
    t.ok(letIn.has(source.replace('./', '').split('/')[0] ?? ''), `${source} in .dockerignore`);
  }
});

const wrong: Readonly<Record<string, readonly [string, string]>> = {
  'a word that is not known': ['FROM node:24\nSHELL ["sh"]', 'Dockerfile:2: SHELL is not understood here'],
  'a file that .dockerignore keeps out': [
    'FROM node:24\nCOPY secret.key ./',
    'Dockerfile:2: secret.key is not in the context',
  ],
  'a stage that comes later': ['FROM node:24\nCOPY --from=later /a ./', 'Dockerfile:2: no stage later before this'],
  'a path of this machine in RUN': ['FROM node:24\nRUN touch /tmp/x', 'Dockerfile:2: RUN with an absolute path'],
  'a command that fails': [
    'FROM node:24\nRUN echo so && exit 3',
    'Dockerfile:2: RUN echo so && exit 3: exit status 3\nso',
  ],
  'a start by a shell': ['FROM node:24\nENTRYPOINT node a.js', 'Dockerfile:2: ENTRYPOINT in the shell form'],
  'an image that nothing stands in for': ['FROM alpine:3', 'nothing stands in for the image alpine:3'],
};

for (const [what, [lines, message]] of Object.entries(wrong))
  t.test(`${what} is an error`, { skip: skipWithoutMounts }, async (t) => {
    const context = t.testdir({ Dockerfile: lines, '.dockerignore': '*\n!package.json\n', 'secret.key': 'x' });
    const folder = temporaryFolder(t);
    t.throws(() => build({ context, folder }), { message: new RegExp(message.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')) });
  });

/** Packages only for development. A package that a production library needs is not one of them. */
function developmentOnly(): readonly string[] {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  return Object.keys(packages[''].devDependencies).filter((name) => packages[`node_modules/${name}`].dev === true);
}

t.test('the images', { skip: skipWithoutMounts }, async (t) => {
  const { gateway: built, authorization } = images(t);
  t.strictSame(built.cmd, ['gateway', '--config', '/etc/gatehouse/gateway.yaml'], 'the last stage');

  t.test('the image has labels, and can be started and checked without a shell', async (t) => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    t.match(built.labels, {
      'org.opencontainers.image.title': 'Gatehouse',
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.licenses': 'Apache-2.0',
    });
    t.ok(built.entrypoint.includes('--disable-sigusr1'), 'no signal opens an inspector');
    t.equal(built.user, '65532:65532');
    t.ok(built.entrypoint.includes('--max-semi-space-size=16'), 'its memory is bounded as docs/promises.md says');
    t.strictSame(built.volumes, ['/data']);
    t.strictSame(built.healthcheck.slice(2, 3), ['health']);
    for (const name of ['sh', 'bash', 'busybox', 'npm']) t.notOk(found(built.root, name), name);
  });

  t.test('the image has only production dependencies, and belongs to root except for the volume', async (t) => {
    const { dependencies } = JSON.parse(readFileSync(join(built.root, 'app/package.json'), 'utf8'));
    for (const name of Object.keys(dependencies)) t.ok(existsSync(join(built.root, 'app/node_modules', name)), name);
    for (const name of developmentOnly()) t.notOk(existsSync(join(built.root, 'app/node_modules', name)), name);
    for (const name of ['src', 'test', 'tools', '.git']) t.notOk(existsSync(join(built.root, 'app', name)), name);
    const app = bytesBelow(join(built.root, 'app'));
    t.comment(`app ${(app / MiB).toFixed(1)} MiB, the tree ${(bytesBelow(built.root) / MiB).toFixed(1)} MiB`);
    t.ok(app < 60 * MiB);
    t.strictSame(notOfRoot(built.root), ['data']);
  });

  t.test('the image runs as 65532, and only the volume is writable', async (t) => {
    const places = ['/', '/app', '/app/dist', '/etc', '/tmp', '/home/nonroot', '/usr/local/bin', '/run'];
    const script = `
      const { writeFileSync } = require('node:fs');
      const tries = Object.fromEntries([...${JSON.stringify(places)}, '/data'].map((place) => {
        try { writeFileSync(place + '/x', ''); return [place, 'written']; } catch ({ code }) { return [place, code]; }
      }));
      console.log(JSON.stringify({ uid: process.getuid(), gid: process.getgid(), groups: process.getgroups(), tries }));`;
    const asked = container(t, built, { entrypoint: ['/usr/local/bin/node', '-e', script], args: [] });
    t.equal(await asked.ended(), 0, asked.output());
    const { uid, gid, groups, tries } = JSON.parse(asked.output());
    t.strictSame({ uid, gid, groups }, { uid: 65532, gid: 65532, groups: [65532] });
    t.strictSame(tries, { ...Object.fromEntries(places.map((place) => [place, 'EROFS'])), '/data': 'written' });
  });

  for (const workers of [1, 2])
    t.test(`${workers} worker(s): SIGTERM under load cuts no request, and the exit status is 0`, async (t) => {
      const { port, health, config, upstream } = await settings(t, { workers });
      const started = await running(t, built, { program: 'gateway', config });
      t.equal(await status(`http://127.0.0.1:${health}/readyz`), 200);
      const probe = container(t, built, { ...started.options, entrypoint: built.healthcheck, args: [] });
      t.equal(await probe.ended(), 0, 'HEALTHCHECK');

      const load = loaded(`http://127.0.0.1:${port}/slow`);
      t.ok(await until(() => upstream.asked >= 2 * load.callers), 'it is under load');
      load.signalled();
      started.process.kill('SIGTERM');
      t.equal(await started.ended(), 0, started.output());
      const { whole, late, cut } = await load.stop();
      t.comment(`${whole} answers whole, ${late} requests after the signal not taken`);
      t.strictSame(cut, [], 'every request that came before the signal was answered whole');
      t.equal(whole, upstream.asked, 'and so was every one that reached the API');
      t.ok(late > 0, 'it was under load when it ended');
    });

  t.test('the authorization service keeps its database on the volume', async (t) => {
    const [port, health] = [await freePort(), await freePort()];
    const config = {
      issuer: `http://localhost:${port}`,
      listen: `127.0.0.1:${port}`,
      health: `127.0.0.1:${health}`,
      storage: 'sqlite:/data/gatehouse.db',
      resources: ['https://api.example.com'],
      clients: [
        { client_id: 'shop', client_secret: '${SHOP_SECRET}', grant_types: ['client_credentials'], scope: 'a' },
      ],
      scopes: { a: 'A' },
    };
    const SHOP_SECRET = 'a-secret-of-the-tests-of-the-image';
    const started = await running(t, authorization, { program: 'authorization', config, env: { SHOP_SECRET } });
    const { statusCode, body } = await request(`http://127.0.0.1:${port}/oauth2/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`shop:${SHOP_SECRET}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials&scope=a',
    });
    t.equal(statusCode, 200, await body.text());
    const probe = container(t, authorization, { ...started.options, entrypoint: authorization.healthcheck, args: [] });
    t.equal(await probe.ended(), 0, 'HEALTHCHECK');
    for (const name of ['gatehouse.db', 'gatehouse.db.key']) {
      const { uid, mode } = statSync(join(started.data, name));
      t.strictSame({ uid, mode: mode & 0o777 }, { uid: 65532, mode: 0o600 }, name);
    }
    started.process.kill('SIGTERM');
    t.equal(await started.ended(), 0, started.output());
  });
});

interface Settings {
  readonly port: number;
  readonly health: number;
  readonly config: object;
  readonly upstream: Slow;
}

async function settings(t: Test, more: object): Promise<Settings> {
  const [port, health, upstream] = [await freePort(), await freePort(), await slow(t)];
  const config = {
    listen: `127.0.0.1:${port}`,
    health: `127.0.0.1:${health}`,
    upstreams: { api: { url: upstream.url } },
    defaults: { upstream: 'api' },
    routes: [{ match: { path: '/slow' }, access: 'public' }],
    ...more,
  };
  return { port, health, config, upstream };
}

const PIECES = 10;

interface Slow {
  readonly url: string;
  /** Requests that arrived. */
  readonly asked: number;
}

/** An API that takes 300 ms for an answer, in pieces. */
async function slow(t: Test): Promise<Slow> {
  let asked = 0;
  const server = createServer(async (_request, response) => {
    asked += 1;
    for (let piece = 0; piece < PIECES; piece++) {
      response.write('x'.repeat(1000));
      await pause(30);
    }
    response.end();
  });
  const url = await serving(t, server);
  return {
    url,
    get asked() {
      return asked;
    },
  };
}

interface Tally {
  whole: number;
  /** Sent after the signal, and closed without a byte of an answer. */
  late: number;
  readonly cut: string[];
}

interface Load {
  readonly callers: number;
  signalled(): void;
  stop(): Promise<Tally>;
}

/** Twenty clients, each on its own connection, one request after the other. */
function loaded(url: string): Load {
  const [callers, tally] = [20, { whole: 0, late: 0, cut: [] } as Tally];
  const agent = new Agent({ connections: callers, pipelining: 1 });
  let [isOver, isSignalled] = [false, false];
  const call = async () => {
    while (!isOver) await ask(url, { agent, tally, isLate: isSignalled });
  };
  const all = Promise.all(Array.from({ length: callers }, call));
  return {
    callers,
    signalled() {
      isSignalled = true;
    },
    async stop() {
      await pause(200);
      isOver = true;
      await all;
      await agent.close();
      return tally;
    },
  };
}

interface Asking {
  readonly agent: Agent;
  readonly tally: Tally;
  readonly isLate: boolean;
}

async function ask(url: string, { agent, tally, isLate }: Asking): Promise<void> {
  let answer = 'no head';
  try {
    const { statusCode, body } = await request(url, { dispatcher: agent });
    answer = `${statusCode}`;
    const { length } = await body.text();
    if (statusCode === 200 && length === PIECES * 1000) tally.whole += 1;
    else tally.cut.push(`${statusCode} with ${length} bytes`);
  } catch (error) {
    const code = (error as { code?: string }).code ?? String(error);
    if (isLate && answer === 'no head') tally.late += 1;
    else tally.cut.push(`${code} after ${answer}`);
    await pause(20);
  }
}

async function status(url: string): Promise<number> {
  const { statusCode, body } = await request(url);
  await body.dump();
  return statusCode;
}

function below(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' });
}

function found(root: string, program: string): boolean {
  return below(root).some((path) => !path.startsWith('app/') && path.split('/').at(-1) === program);
}

function bytesBelow(root: string): number {
  return below(root).reduce((sum, path) => {
    const state = lstatSync(join(root, path));
    return sum + (state.isFile() ? state.size : 0);
  }, 0);
}

function notOfRoot(root: string): readonly string[] {
  return below(root).filter((path) => lstatSync(join(root, path)).uid !== 0);
}
