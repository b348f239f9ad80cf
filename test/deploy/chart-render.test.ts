import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { skipWithoutHelm } from '../../tools/chart/programs.ts';
import { command } from '../support/command.ts';
import { digestLines } from '../support/user-files.ts';
import {
  cases,
  chart,
  gatewayConfig,
  type Manifest,
  manifests,
  notConforming,
  render,
  rendered,
  runHelm,
  snapshotOf,
  textOfFile,
  valuesOf,
} from './chart.ts';

/** Renders the chart: 15 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

/** Like `tap --snapshot`: writes the rendered manifests instead of comparing with them. */
const isWriting = process.env.TAP_SNAPSHOT === '1';

const secrets = '/run/secrets/gatehouse';

t.test('there are at least fourteen value files, and the ones for a strict cluster', async (t) => {
  t.ok(cases.length >= 14);
  for (const name of ['strict-sidecar', 'strict-both']) t.ok(cases.includes(name), name);
});

for (const name of cases) {
  t.test(`${name}: the manifests for these values match the snapshot`, { skip: skipWithoutHelm }, async (t) => {
    const lint = runHelm(['lint', chart, '--strict', '--values', valuesOf(name)]);
    t.equal(lint.status, 0, lint.stdout);

    const { status, stdout, stderr } = render(['--values', valuesOf(name)]);
    t.equal(status, 0, stderr);
    t.equal(notConforming(stdout), '', 'is what Kubernetes takes');
    t.notMatch(stdout, /[ \t]$/m, 'has no space at the end of a line');

    if (isWriting) write(snapshotOf(name), stdout);
    t.ok(existsSync(snapshotOf(name)), 'a snapshot is there: TAP_SNAPSHOT=1 writes it');
    t.equal(stdout, textOfFile(snapshotOf(name)), 'is as in the snapshot');

    await loads(t, manifests(stdout));
  });
}

t.test('a file of reported logouts has one writer, also during an update', { skip: skipWithoutHelm }, async (t) => {
  const strategyFor = (receiver: object) => {
    const config = {
      ...gatewayConfig,
      authorization_servers: {
        main: { issuer: 'https://auth.example.com', backchannel_logout: { audiences: ['shop'] } },
      },
      receiver: { listen: '0.0.0.0:8090', ...receiver },
    };
    const objects = rendered({ mode: 'gateway', gateway: { config } });
    return objects.find(({ kind }) => kind === 'Deployment').spec.strategy.type;
  };
  t.equal(strategyFor({ file: '/data/received' }), 'Recreate');
  t.equal(strategyFor({}), 'RollingUpdate');
});

t.test('every container has the restrictions that the chart promises', { skip: skipWithoutHelm }, async (t) => {
  for (const name of cases) {
    const { stdout } = render(['--values', valuesOf(name)]);
    const pods = manifests(stdout).flatMap(({ spec }) => spec?.template?.spec ?? []);
    for (const pod of pods) {
      t.equal(pod.enableServiceLinks, false, name);
      t.equal(pod.automountServiceAccountToken, false, name);
      t.match(pod.securityContext, {
        runAsNonRoot: true,
        runAsUser: 65532,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      t.match(ours(pod).securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      for (const { secret } of pod.volumes) t.equal(secret?.defaultMode ?? 0o440, 0o440, name);
    }
  }
});

t.test(
  "the grace period of a pod exceeds its hook plus the program's deadline",
  { skip: skipWithoutHelm },
  async (t) => {
    const { stdout } = render(['--values', valuesOf('both')]);
    const pods = manifests(stdout).filter(({ kind }) => kind === 'Deployment');
    t.equal(pods.length, 2);
    for (const { spec } of pods) {
      const { terminationGracePeriodSeconds: grace, containers } = spec.template.spec;
      t.ok(grace > containers[0].lifecycle.preStop.sleep.seconds + 30);
    }
  },
);

function ours(pod: Manifest): Manifest {
  const all = [...pod.containers, ...(pod.initContainers ?? [])];
  return all.find(({ name }: Manifest) => name === 'gatehouse' || name === 'migration');
}

/** `gatehouse check` accepts every configuration file of ours in a ConfigMap. */
async function loads(t: Test, objects: readonly Manifest[]): Promise<void> {
  const directory = t.testdir();
  const env = variables(objects);
  for (const { kind, data } of objects) {
    if (kind !== 'ConfigMap') continue;
    for (const [file, text] of Object.entries<string>(data)) {
      if (!file.endsWith('.yaml')) continue;
      writeSecrets(directory, text);
      const path = join(directory, file);
      writeFileSync(path, text.replaceAll(secrets, directory).replaceAll('/run/tls', tls(directory)));
      const { status, stdout, stderr } = await command(t, ['check', path], { env }).ended();
      t.equal(status, 0, stdout + stderr);
      t.notMatch(stdout + stderr, /warning/, 'and no warning');
    }
  }
}

/** What the pods would find in the variables from Secrets. */
function variables(objects: readonly Manifest[]): Record<string, string> {
  const containers = objects.flatMap(({ spec }) => spec?.template?.spec?.containers ?? []);
  const names = containers.flatMap(({ env = [] }) => env.map(({ name }: Manifest) => name));
  return Object.fromEntries(names.map((name) => [name, `${name.toLowerCase()}-of-the-tests-of-the-chart`]));
}

const kinds: Readonly<Record<string, () => string>> = {
  key: () => Buffer.alloc(32, 7).toString('base64'),
  secret: () => 'a-secret-of-the-tests-of-the-chart',
  htdigest: () => digestLines('alice', 'meters', 'x'),
  htpasswd: () => '',
};

/** As Kubernetes mounts them with an `fsGroup`: readable for the owner and the group. */
function writeSecrets(directory: string, text: string): void {
  for (const [, name = ''] of text.matchAll(/\/run\/secrets\/gatehouse\/([\w.-]+)/g)) {
    const file = join(directory, name);
    if (!existsSync(file)) writeFileSync(file, kinds[name.split('.').at(-1) ?? '']?.() ?? '', { mode: 0o440 });
  }
}

function tls(directory: string): string {
  for (const kind of ['crt', 'key']) {
    const vector = fileURLToPath(new URL(`../vectors/tls/server.${kind}`, import.meta.url));
    writeFileSync(join(directory, `tls.${kind}`), readFileSync(vector), { mode: 0o600 });
  }
  return directory;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.error(`${basename(file)} is written`);
}
