import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { helm, kubeconform, kustomize, restricted, schemas } from '../../tools/chart/programs.ts';

// biome-ignore lint/suspicious/noExplicitAny: an object of Kubernetes before it is judged
export type Manifest = any;

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export const chart: string = path('../../helm/gatehouse');

/** The value files that show the features of the chart, without `.yaml`. */
export const cases: readonly string[] = readdirSync(path('values')).map((name) => name.replace(/\.yaml$/, ''));

export const valuesOf = (name: string): string => path(`values/${name}.yaml`);
export const snapshotOf = (name: string): string => path(`snapshots/${name}.yaml`);

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function runHelm(args: readonly string[], input = ''): Ran {
  return spawnSync(helm, args, { encoding: 'utf8', input, maxBuffer: 16 * 1024 * 1024 });
}

/** `helm template RELEASE CHART`, in the namespace `shop`. */
export function render(args: readonly string[], { of = chart, input = '', release = 'try' } = {}): Ran {
  return runHelm(['template', release, of, '--namespace', 'shop', ...args], input);
}

const image = { registry: 'registry.example.com' };

/** The same with values given as text, and an image; returns the message if rendering fails. */
export function refusal(values: object, args: readonly string[] = []): string {
  const { status, stderr } = render(['--values', '-', ...args], { input: JSON.stringify({ image, ...values }) });
  return status === 0 ? '' : stderr;
}

export function rendered(values: object, of: string = chart): readonly Manifest[] {
  const { status, stdout, stderr } = render(['--values', '-'], { of, input: JSON.stringify({ image, ...values }) });
  if (status !== 0) throw new Error(stderr);
  return manifests(stdout);
}

/** The violations of the Pod Security Standard *restricted* by each pod. The last line has the number of pods. */
export function notRestricted(text: string): string {
  const { stdout, stderr } = spawnSync(restricted, [], { encoding: 'utf8', input: text });
  return `${stdout}${stderr}`;
}

/** `kustomize build FOLDER`; throws with its output. */
export function kustomized(folder: string): string {
  const { status, stdout, stderr } = spawnSync(kustomize, ['build', folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

export function manifests(text: string): readonly Manifest[] {
  return parseAllDocuments(text).flatMap((document) => document.toJS() ?? []);
}

/** The errors of kubeconform; empty if Kubernetes accepts every object. */
export function notConforming(text: string): string {
  const location = `${schemas}/{{ .Group }}/{{ .ResourceKind }}_{{ .ResourceAPIVersion }}.json`;
  const { stdout, stderr } = spawnSync(kubeconform, ['-strict', '-schema-location', location, '-'], {
    encoding: 'utf8',
    input: text,
  });
  return `${stdout}${stderr}`;
}

/** Valid values for a gateway, to be changed. */
export const gatewayConfig = {
  authorization_servers: { main: { issuer: 'https://auth.example.com', audience: 'https://api.example.com' } },
  upstreams: { orders: { url: 'http://orders:9000' } },
  defaults: { upstream: 'orders' },
  routes: [{ match: { path: '/orders/{rest*}' }, scope: 'orders.read' }],
};

export const authorizationConfig = { issuer: 'https://auth.example.com', resources: ['https://api.example.com'] };

export function textOfFile(name: string): string {
  return readFileSync(name, 'utf8');
}
