import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments, stringify } from 'yaml';
import { loadGatewayText } from '../../../src/config/load/load.ts';
import type { GatewayConfig } from '../../../src/config/schema/gateway.ts';
import { makePlan, stoppingFindings, unsupportedModes } from '../../../src/gateway/compile/make-plan.ts';
import { compileTargets } from '../../../src/gateway/compile/targets.ts';
import { exampleDocuments } from '../../../tools/configuration-examples.ts';
import { filesIn, pages } from '../../docs/cookbook.ts';

/** What the compiler writes for Kubernetes, for the tests that give it to the validators of each project. */
export interface KnownOutput {
  readonly target: string;
  readonly title: string;
  readonly text: string;
}

interface Source {
  readonly title: string;
  readonly text: string;
}

/** Every gateway file of the cookbook, of the reference and of `config`, and one that a mesh can judge. */
function sources(): readonly Source[] {
  const shown = pages.flatMap((page) =>
    filesIn(page).flatMap(({ file, title, values }) =>
      file === 'gateway.yaml' ? [{ title: `${page}: ${title}`, text: stringify(values) }] : [],
    ),
  );
  const examples = exampleDocuments('gateway.yaml').map((text, index) => ({ title: `example ${index + 1}`, text }));
  const commented = fileURLToPath(new URL('../../../config/gateway.yaml', import.meta.url));
  const [config] = parseAllDocuments(readFileSync(commented, 'utf8')).map(String);
  return [...shown, ...examples, { title: 'config/gateway.yaml', text: config ?? '' }, { title: 'mesh', text: MESH }];
}

const MESH = `
version: 1
decision: { listen: 0.0.0.0:8082 }
trusted_proxies: [10.0.0.0/8]
authorization_servers:
  main: { issuer: https://a.example, audience: https://api.example, jwks_uri: https://a.example/keys, clock_skew: 60s }
  second: { issuer: https://b.example, audience: any, typ: [at+jwt], jwks_uri: https://b.example/keys }
scopes: { admin: { implies: [write] } }
upstreams: { api: { url: "http://127.0.0.1:9" } }
defaults: { upstream: api }
routes:
  - { id: health, match: { path: /health, methods: [GET, HEAD] }, access: public }
  - { id: status, match: { path: /status, host: api.example.com }, access: public }
  - { id: list, match: { path: /items, methods: [GET] }, scope: read }
  - { id: add, match: { path: /items, methods: [POST] }, scope: { any_of: [write, "read extra"] } }
  - { id: tenant, match: { path: /tenant }, scope: read, claims: { tenant: { one_of: [a, b] }, roles: { contains: x } } }
  - { id: me, match: { path: /me }, access: authenticated, authorization_servers: [second] }
  - { id: files, match: { path: "/files/{rest*}", host: "{t}.example.com" }, scope: read }
`;

/** Without TLS, whose files do not exist here, and with Services as upstreams. */
function inACluster(config: GatewayConfig): GatewayConfig {
  const plain = <Block extends { tls?: unknown }>({ tls: _tls, ...block }: Block) => block;
  const upstreams = Object.entries(config.upstreams).map(([name, upstream], index) => [
    name,
    { ...plain(upstream), urls: [`http://upstream-${index}.shop.svc:9000`] },
  ]);
  const servers = Object.entries(config.authorization_servers).map(([name, server]) => [name, plain(server)]);
  return {
    ...config,
    listen: plain(config.listen),
    decision: config.decision ?? { host: '0.0.0.0', port: 8082 },
    upstreams: Object.fromEntries(upstreams),
    authorization_servers: Object.fromEntries(servers),
  };
}

export const kubernetesTargets = ['gateway-api', 'envoy-gateway', 'istio'] as const;

/** The files for each target, in each way that has no stopping finding. */
export function knownOutputs(): readonly KnownOutput[] {
  return sources().flatMap(({ title, text }) => {
    const loaded = loadGatewayText(text, { withoutSecrets: true, closed: true });
    if (!loaded.ok) return [];
    const input = {
      ...loaded,
      config: inACluster(loaded.config),
      source: { file: title, hash: 'hash' },
      keys: new Map(),
    };
    return kubernetesTargets.flatMap((target) => outputsOf(target, input));
  });
}

function outputsOf(target: string, input: Parameters<typeof makePlan>[0]): readonly KnownOutput[] {
  const row = compileTargets[target];
  if (row === undefined) return [];
  const choices = unsupportedModes.flatMap((mode) => [[], row.accepts].map((accepts) => ({ mode, accepts })));
  return choices.flatMap(({ mode, accepts }) => {
    const plan = makePlan(input, mode, { limits: row.limits, accepted: new Set(accepts) });
    if (stoppingFindings(plan, mode).length > 0) return [];
    const accepting = accepts.length === 0 ? '' : ', accepting';
    return [{ target, title: `${target}: ${input.source.file}, ${mode}${accepting}`, text: row.render(plan) }];
  });
}
