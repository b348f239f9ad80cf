import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments, stringify } from 'yaml';
import { loadGatewayText } from '../../../src/config/load/load.ts';
import type { GatewayConfig } from '../../../src/config/schema/gateway.ts';
import { SYSTEM_AUTHORITIES } from '../../../src/gateway/compile/envoy/clusters.ts';
import { makePlan, stoppingFindings, unsupportedModes } from '../../../src/gateway/compile/make-plan.ts';
import { compileTargets } from '../../../src/gateway/compile/targets.ts';
import { exampleDocuments } from '../../../tools/configuration-examples.ts';
import { filesIn, pages } from '../../docs/cookbook.ts';
import { tlsFile } from '../../support/tls-file.ts';

export interface KnownFile {
  readonly title: string;
  readonly text: string;
}

export interface CompiledFile extends KnownFile {
  /** The text of the gateway file. */
  readonly source: string;
}

/** Every block of TLS that a file may have. */
const everywhere = {
  version: 1,
  listen: { host: '127.0.0.1', port: 8443, tls: { cert: 'tls.crt', key: 'tls.key' } },
  authorization_servers: {
    main: {
      issuer: 'https://a.example',
      audience: 'b',
      jwks_uri: 'https://a.example/k',
      events: 'none',
      tls: { ca: 'a' },
    },
  },
  upstreams: {
    api: { url: 'https://10.0.0.1', tls: { ca: 'ca.pem', cert: 'c.pem', key: 'k.pem', server_name: 'api.internal' } },
  },
  defaults: { upstream: 'api' },
  routes: [{ id: 'all', match: { path: '/{rest*}' }, access: 'authenticated' }],
};

/** Every gateway file of the cookbook, of the reference and of `config`. */
export function knownFiles(): readonly KnownFile[] {
  const shown = pages.flatMap((page) =>
    filesIn(page).flatMap(({ file, title, values }) =>
      file === 'gateway.yaml' ? [{ title: `${page}: ${title}`, text: stringify(values) }] : [],
    ),
  );
  const examples = exampleDocuments('gateway.yaml').map((text, index) => ({ title: `example ${index + 1}`, text }));
  const commented = fileURLToPath(new URL('../../../config/gateway.yaml', import.meta.url));
  const [config] = parseAllDocuments(readFileSync(commented, 'utf8')).map(String);
  const tls = { title: 'TLS everywhere', text: stringify(everywhere) };
  return [...shown, ...examples, { title: 'config/gateway.yaml', text: config ?? '' }, tls];
}

/**
 * The file compiled in each way that has no stopping finding. Secrets have placeholders, and each file of TLS is one of
 * our test vectors, because Envoy reads it.
 */
export function compiledInEachWay({ title, text }: KnownFile): readonly CompiledFile[] {
  const loaded = loadGatewayText(text, { withoutSecrets: true, closed: true });
  if (!loaded.ok) return [];
  const input = {
    ...loaded,
    config: withReadableTls(loaded.config),
    source: { file: title, hash: 'hash' },
    keys: new Map(),
  };
  return unsupportedModes.flatMap((mode) => {
    const plan = makePlan(input, mode);
    if (stoppingFindings(plan, mode).length > 0) return [];
    const output = withAuthorities(compileTargets.envoy?.render(plan) ?? '');
    return [{ title: `${title}, ${mode}`, text: output, source: text }];
  });
}

/** A machine may keep its authorities elsewhere. */
function withAuthorities(text: string): string {
  return text.replaceAll(SYSTEM_AUTHORITIES, tlsFile('authority.crt'));
}

const FILES = { cert: 'server.crt', key: 'server.key', ca: 'other-authority.crt', client_ca: 'authority.crt' };

function withReadableTls(config: GatewayConfig): GatewayConfig {
  const { listen, upstreams, authorization_servers } = config;
  return {
    ...config,
    listen: readable(listen),
    upstreams: mapped(upstreams, readable),
    authorization_servers: mapped(authorization_servers, readable),
  };
}

/** The same settings, with files that exist. */
function readable<Block extends { tls?: object }>(block: Block): Block {
  if (block.tls === undefined) return block;
  const given = Object.entries(FILES).filter(([key]) => Object.hasOwn(block.tls ?? {}, key));
  const files = Object.fromEntries(given.map(([key, name]) => [key, tlsFile(name)]));
  return { ...block, tls: { ...block.tls, ...files } };
}

function mapped<Value>(
  blocks: Readonly<Record<string, Value>>,
  change: (block: Value) => Value,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(blocks).map(([name, block]) => [name, change(block)]));
}
