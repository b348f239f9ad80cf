import { readText } from '../../config/files/read-text.ts';
import { type Loaded, loadAuthorizationConfig, loadGatewayConfig, type Problem } from '../../config/load/load.ts';
import type { AuthorizationConfig } from '../../config/schema/authorization.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { detectKind } from '../../config/yaml/detect.ts';
import { runTests } from '../../gateway/explain/run-tests.ts';

/** How each of the two files is loaded. */
export interface Loaders {
  readonly gateway: (file: string) => Loaded<GatewayConfig>;
  readonly authorization: (file: string) => Loaded<AuthorizationConfig>;
}

export interface CheckedFile {
  /** Errors, or the warnings of a file without errors. */
  readonly problems: readonly Problem[];
  /** The loaded configuration, under the kind of the file. */
  readonly gateway?: Loaded<GatewayConfig>;
  readonly authorization?: Loaded<AuthorizationConfig>;
}

export async function judgeFile(file: string, loaders: Loaders): Promise<CheckedFile> {
  const read = readText(file, { waits: true });
  // The loader reports a file that cannot be read.
  const kind = read.ok ? detectKind(read.text) : 'gateway';
  if (kind === undefined) return { problems: undecided(file) };
  if (kind === 'gateway') return judgeGateway(loaders.gateway(file));
  const authorization = loaders.authorization(file);
  return { problems: authorization.ok ? authorization.warnings : authorization.problems, authorization };
}

/** Errors, or the warnings of a file without errors. */
export async function checkFile(file: string, env: NodeJS.ProcessEnv = process.env): Promise<readonly Problem[]> {
  const judged = await judgeFile(file, {
    gateway: (name) => loadGatewayConfig(name, env),
    authorization: (name) => loadAuthorizationConfig(name, env),
  });
  return judged.problems;
}

async function judgeGateway(gateway: Loaded<GatewayConfig>): Promise<CheckedFile> {
  const problems = gateway.ok ? [...gateway.warnings, ...(await runTests(gateway))] : gateway.problems;
  return { problems, gateway };
}

function undecided(file: string): readonly Problem[] {
  const hint = 'a gateway file has `routes` and `upstreams`, an authorization file has `issuer` and `clients`';
  return [
    { severity: 'error', file, line: 1, column: 1, message: 'neither a gateway file nor an authorization file', hint },
  ];
}
