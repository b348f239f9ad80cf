import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { measured, type Place, UPSTREAM } from './place.ts';
import type { Program } from './program.ts';
import { audience } from './tokens.ts';

const upstream = `http://127.0.0.1:${UPSTREAM}`;

/** It verifies a JWT with the issuer's keys, and never redirects. */
export const oauth2Proxy: Program = {
  install: 'github.com/oauth2-proxy/oauth2-proxy/v7 v7.6.0, see bench/README.md',
  command(place) {
    const file = goProgram('oauth2-proxy');
    if (file === undefined) return undefined;
    const port = portOf('oauth2-proxy', place);
    return measured({ file, args: oauth2ProxyArguments(place, port), ports: [port] });
  },
};

function oauth2ProxyArguments({ issuers: { ES256: issuer } }: Place, port: number): string[] {
  return [
    `--http-address=127.0.0.1:${port}`,
    `--upstream=${upstream}`,
    '--provider=oidc',
    `--oidc-issuer-url=${issuer}`,
    `--client-id=${audience}`,
    '--client-secret=bench',
    '--cookie-secret=0123456789abcdef0123456789abcdef',
    '--email-domain=*',
    '--skip-jwt-bearer-tokens=true',
    '--api-route=.*',
    '--request-logging=false',
    '--auth-logging=false',
    '--standard-logging=false',
  ];
}

/** Authenticator jwt, authorizer allow, mutator noop. */
export const oathkeeper: Program = {
  install: 'github.com/ory/oathkeeper v0.40.9, see bench/README.md',
  command(place) {
    const file = goProgram('oathkeeper');
    if (file === undefined) return undefined;
    const port = portOf('oathkeeper', place);
    const [, , api = 0, metrics = 0] = place.morePorts;
    const config = join(place.folder, 'oathkeeper.json');
    const rules = join(place.folder, 'oathkeeper-rules.json');
    writeFileSync(config, JSON.stringify(oathkeeperConfig(place, { port, api, metrics, rules })));
    writeFileSync(rules, JSON.stringify([rule(port)]));
    return measured({ file, args: ['serve', '--config', config, '--disable-telemetry'], ports: [port] });
  },
};

interface OathkeeperOptions {
  readonly port: number;
  readonly api: number;
  readonly metrics: number;
  /** File. */
  readonly rules: string;
}

function oathkeeperConfig(
  { issuers: { ES256: issuer } }: Place,
  { port, api, metrics, rules }: OathkeeperOptions,
): object {
  const listener = (at: number) => ({ host: '127.0.0.1', port: at });
  const enabled = { enabled: true };
  const jwt = {
    jwks_urls: [`${issuer}/jwks`],
    trusted_issuers: [issuer],
    target_audience: [audience],
    allowed_algorithms: ['ES256'],
    required_scope: ['orders.read'],
    scope_strategy: 'exact',
  };
  return {
    serve: { proxy: listener(port), api: listener(api), prometheus: listener(metrics) },
    log: { level: 'error' },
    access_rules: { matching_strategy: 'glob', repositories: [`file://${rules}`] },
    authenticators: { jwt: { ...enabled, config: jwt } },
    authorizers: { allow: enabled },
    mutators: { noop: enabled },
  };
}

function rule(port: number): object {
  return {
    id: 'bench',
    match: { url: `http://127.0.0.1:${port}/<**>`, methods: ['GET'] },
    upstream: { url: upstream, preserve_host: true },
    authenticators: [{ handler: 'jwt' }],
    authorizer: { handler: 'allow' },
    mutators: [{ handler: 'noop' }],
  };
}

const order = ['oauth2-proxy', 'oathkeeper'] as const;

/** Where it listens. */
export function portOf(name: (typeof order)[number], { morePorts }: Place): number {
  return morePorts[order.indexOf(name)] ?? 0;
}

/** In PATH, or where `go install` puts it. */
function goProgram(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), join(goPath(), 'bin')];
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

function goPath(): string {
  try {
    return execFileSync('go', ['env', 'GOPATH'], { encoding: 'utf8' }).trim();
  } catch {
    return join(homedir(), 'go');
  }
}
