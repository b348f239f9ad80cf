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

export interface KnownFile {
  readonly title: string;
  readonly text: string;
}

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
  return [...shown, ...examples, { title: 'config/gateway.yaml', text: config ?? '' }];
}

/**
 * The file compiled in each way that has no stopping finding. Secrets have placeholders, and files of certificates do not
 * exist here, so the configuration of TLS is left out.
 */
export function compiledInEachWay({ title, text }: KnownFile): readonly KnownFile[] {
  const loaded = loadGatewayText(text, { withoutSecrets: true, closed: true });
  if (!loaded.ok) return [];
  const input = {
    ...loaded,
    config: withoutTls(loaded.config),
    source: { file: title, hash: 'hash' },
    keys: new Map(),
  };
  return unsupportedModes.flatMap((mode) => {
    const plan = makePlan(input, mode);
    if (stoppingFindings(plan, mode).length > 0) return [];
    return [{ title: `${title}, ${mode}`, text: withAuthorities(compileTargets.envoy?.render(plan) ?? '') }];
  });
}

/** A machine may keep its authorities elsewhere. */
function withAuthorities(text: string): string {
  const file = fileURLToPath(new URL('../../vectors/tls/authority.crt', import.meta.url));
  return text.replaceAll(SYSTEM_AUTHORITIES, file);
}

function withoutTls(config: GatewayConfig): GatewayConfig {
  const plain = <Block extends { tls?: unknown }>({ tls: _tls, ...block }: Block) => block;
  const upstreams = Object.entries(config.upstreams).map(([name, upstream]) => [name, plain(upstream)]);
  const servers = Object.entries(config.authorization_servers).map(([name, server]) => [name, plain(server)]);
  return {
    ...config,
    listen: plain(config.listen),
    upstreams: Object.fromEntries(upstreams),
    authorization_servers: Object.fromEntries(servers),
  };
}
