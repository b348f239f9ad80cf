// `npm run chart:tools`: installs the programs that check the chart, the component, compose.yaml and the workflows, and
// the schemas of every kind that the chart and pages use. It needs only Go.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkers, composeSchema, place, schemas } from './programs.ts';
import { builtInKinds, customKinds, writeSchemas } from './schemas.ts';

const kubernetes = { major: 1, minor: 34 };

/** The linker tells helm for which version of Kubernetes to render. Without that, the version is 1.20. */
const linked = ['pkg/chartutil', 'pkg/lint/rules'].flatMap((path) =>
  Object.entries(kubernetes).map(
    ([part, number]) => `-X helm.sh/helm/v3/${path}.k8sVersion${part === 'major' ? 'Major' : 'Minor'}=${number}`,
  ),
);

const programs = {
  'helm.sh/helm/v3/cmd/helm@v3.19.5': ['-ldflags', ['-s', '-w', ...linked].join(' ')],
  'github.com/yannh/kubeconform/cmd/kubeconform@v0.6.7': [],
  'sigs.k8s.io/kustomize/kustomize/v5@v5.8.1': [],
  'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12': ['-ldflags', '-s -w'],
};

/** Module → the folder or file of its CustomResourceDefinitions. */
const resources = {
  'sigs.k8s.io/gateway-api@v1.4.1': 'config/crd/standard',
  'github.com/prometheus-operator/prometheus-operator@v0.85.0': 'example/prometheus-operator-crd',
  'github.com/cert-manager/cert-manager@v1.19.1': 'deploy/crds',
  'github.com/envoyproxy/gateway@v1.6.0': 'charts/gateway-helm/crds/generated',
  'istio.io/api@v1.28.0': 'kubernetes/customresourcedefinitions.gen.yaml',
  'github.com/traefik/traefik/v3@v3.7.13': 'docs/content/reference/dynamic-configuration',
};
const builtIn = {
  module: `k8s.io/kubernetes@v${kubernetes.major}.${kubernetes.minor}.2`,
  file: 'api/openapi-spec/swagger.json',
};

/** The Compose specification's schema for compose.yaml. */
const compose = { module: 'github.com/compose-spec/compose-go/v2@v2.16.2', file: 'schema/compose-spec.json' };

/** Our own programs around libraries. Their versions and checksums are in go.mod and go.sum there. */
const sources = fileURLToPath(new URL('checkers', import.meta.url));
const checkerSources = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(go|mod|sum)$/.test(name))
  .sort()
  .map((name) => readFileSync(join(sources, name), 'utf8'));

/** Go from 1.21 up reads this, and fetches the version that a module requires. */
const TOOLCHAIN = 'go1.25.4';
const platform = { x64: 'amd64', arm64: 'arm64' }[process.arch as 'x64' | 'arm64'];

const wanted = JSON.stringify({ programs, resources, builtIn, compose, checkerSources });
const stamp = join(place, 'installed.json');

if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) console.log('The tools of the chart are installed.');
else install();

function install(): void {
  rmSync(place, { recursive: true, force: true });
  mkdirSync(join(place, 'bin'), { recursive: true });
  const go = newEnoughGo();
  for (const [program, flags] of Object.entries(programs)) {
    timed(`Building ${program}`, () => run(go, ['install', ...flags, program], { GOBIN: join(place, 'bin') }));
  }
  timed('Building the checkers', () =>
    run(go, ['-C', sources, 'install', './...'], { GOBIN: checkers, GOFLAGS: '-mod=readonly' }),
  );
  timed('Fetching the schemas of Kubernetes', () => {
    writeSchemas(schemas, builtInKinds(join(fetched(go, builtIn.module), builtIn.file)));
    for (const [module, path] of Object.entries(resources))
      writeSchemas(schemas, customKinds(join(fetched(go, module), path)));
    cpSync(join(fetched(go, compose.module), compose.file), composeSchema);
  });
  writeFileSync(stamp, wanted);
}

function timed(what: string, task: () => void): void {
  const begun = performance.now();
  console.log(`${what} …`);
  task();
  console.log(`${what}: ${Math.round((performance.now() - begun) / 1000)} s`);
}

/** The module's folder after Go has fetched it. */
function fetched(go: string, module: string): string {
  return JSON.parse(run(go, ['mod', 'download', '-json', module])).Dir;
}

/** The system's Go. If that is too old for the modules, the Go that it can fetch as a module. */
function newEnoughGo(): string {
  const places = ['/usr/local/go/bin', join(homedir(), 'go/bin'), ...(process.env.PATH ?? '').split(delimiter)];
  const go = places.map((folder) => join(folder, 'go')).find((file) => existsSync(file));
  if (go === undefined) throw new Error('Go is needed to build helm and kubeconform: https://go.dev/doc/install');
  const [, minor = '0'] = /go1\.(\d+)/.exec(run(go, ['version'])) ?? [];
  return Number(minor) >= 21 ? go : ownToolchain(go);
}

/** Files in the module cache are not executable. */
function ownToolchain(go: string): string {
  const folder = join(place, 'go');
  cpSync(fetched(go, `golang.org/toolchain@v0.0.1-${TOOLCHAIN}.linux-${platform}`), folder, { recursive: true });
  for (const each of ['bin', `pkg/tool/linux_${platform}`]) makeExecutable(join(folder, each));
  return join(folder, 'bin/go');
}

function makeExecutable(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o755);
}

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): string {
  // In a separate folder, so that Go reads no other go.mod.
  const { status, stdout, error } = spawnSync(program, args, {
    cwd: place,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, GOFLAGS: '-mod=mod', ...env },
  });
  if (status !== 0) throw error ?? new Error(`${program} ${args.join(' ')}: exit status ${status}: ${stdout}`);
  return stdout;
}
