import { readText } from '../../config/files/read-text.ts';
import { type Loaded, loadAuthorizationConfig, loadGatewayConfig, type Problem } from '../../config/load/load.ts';
import { detectKind } from '../../config/yaml/detect.ts';
import { runTests } from '../../gateway/explain/run-tests.ts';

/** Errors, or the warnings of a file without errors. */
export async function checkFile(file: string, env: NodeJS.ProcessEnv = process.env): Promise<readonly Problem[]> {
  const read = readText(file, { waits: true });
  // One that cannot be read is told of by the loader.
  const kind = read.ok ? detectKind(read.text) : 'gateway';
  if (kind === undefined) return undecided(file);
  return kind === 'gateway' ? checkGateway(file, env) : told(loadAuthorizationConfig(file, env));
}

async function checkGateway(file: string, env: NodeJS.ProcessEnv): Promise<readonly Problem[]> {
  const loaded = loadGatewayConfig(file, env);
  return loaded.ok ? [...loaded.warnings, ...(await runTests(loaded))] : loaded.problems;
}

function told(loaded: Loaded<unknown>): readonly Problem[] {
  return loaded.ok ? loaded.warnings : loaded.problems;
}

function undecided(file: string): readonly Problem[] {
  const hint = 'a gateway file has `routes` and `upstreams`, an authorization file has `issuer` and `clients`';
  return [
    { severity: 'error', file, line: 1, column: 1, message: 'neither a gateway file nor an authorization file', hint },
  ];
}
