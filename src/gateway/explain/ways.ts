import { systemClock } from '../../base/clock.ts';
import { buildLog } from '../../base/log.ts';
import type { AssumedToken } from '../../config/schema/test-case.ts';
import type { JsonObject } from '../../jwt/json.ts';
import type { ServerDependencies } from '../verify/open-authorization-server.ts';
import { buildVerifiers } from '../verify/verifiers.ts';
import { assumedVerifier } from './assumed.ts';
import { buildDryEngine, type CheckedGatewayFile } from './dry-engine.ts';
import { type Explanation, explain } from './explain.ts';
import { type FileWithReports, withReceived } from './received.ts';
import type { SimulatedRequest } from './simulated-request.ts';

/** The parts of a loaded file that a question reads. */
export type AskedFile = Pick<CheckedGatewayFile, 'locate'> & FileWithReports;

/** A token that no server issued. */
export interface Assumption {
  readonly scope?: string | undefined;
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}

const ASSUMED = 'assumed';

/** Judges the request as if it had a valid token with this scope and these claims. */
export function explainAssumed(
  loaded: AskedFile,
  asked: Omit<SimulatedRequest, 'token'>,
  { scope, claims = {} }: Assumption,
): Promise<Explanation> {
  const { config } = loaded;
  const server =
    claims.iss === undefined
      ? undefined
      : serverOf(loaded, typeof claims.iss === 'string' ? claims.iss : JSON.stringify(claims.iss));
  const token: AssumedToken = {
    claims,
    ...(scope !== undefined && { scope }),
    ...(server !== undefined && { server }),
  };
  const dry = buildDryEngine(loaded, assumedVerifier(config, new Map([[ASSUMED, token]])));
  return explain(loaded, dry, { ...asked, token: ASSUMED });
}

/** If the file does not know the issuer, no server has this name, and the token is rejected. */
function serverOf({ config }: AskedFile, iss: string): string {
  const servers = Object.entries(config.authorization_servers);
  return servers.find(([, { issuer }]) => issuer === iss)?.[0] ?? iss;
}

/** Verifies the token of the request. Fetches keys and asks servers only if there is a token to verify. */
export function explainVerified(loaded: AskedFile, asked: SimulatedRequest): Promise<Explanation> {
  const log = buildLog({ level: 'silent', format: 'json' });
  if (!mayHoldToken(asked)) return explainBy(loaded, asked, { log, received: undefined });
  return withReceived(loaded, log, (received) => explainBy(loaded, asked, { log, received }));
}

async function explainBy(
  loaded: AskedFile,
  asked: SimulatedRequest,
  { log, received }: Pick<ServerDependencies, 'log' | 'received'>,
): Promise<Explanation> {
  const { config, directory } = loaded;
  const heard = new Map<string, JsonObject>();
  const hear = (server: string, answer: JsonObject) => void heard.set(server, answer);
  const verifiers = buildVerifiers(config, { clock: systemClock, log, directory, received, heard: hear });
  try {
    if (mayHoldToken(asked)) await verifiers.start();
    const verifying = { now: systemClock.now() / 1000, heard };
    return await explain(loaded, buildDryEngine(loaded, verifiers.verifier, { directory }), asked, verifying);
  } finally {
    await verifiers.close();
  }
}

function mayHoldToken({ token, headers = [], target }: SimulatedRequest): boolean {
  return (
    token !== undefined || /access_token=/i.test(target) || headers.some(([name]) => /^authorization$/i.test(name))
  );
}
