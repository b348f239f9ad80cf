import { systemClock } from '../../../base/clock.ts';
import { buildLog } from '../../../base/log.ts';
import { isObject, type JsonObject, parseJsonObject } from '../../../jwt/json.ts';
import { looksLikeJwt } from '../../../jwt/parse.ts';
import { type Outcome, refuse } from '../../decide/outcome.ts';
import { permit } from '../../decide/permit.ts';
import type { Route } from '../../decide/route.ts';
import { buildDryEngine } from '../../explain/dry-engine.ts';
import { type ExplainedToken, explainToken } from '../../explain/explained-token.ts';
import { neededScopes } from '../../explain/explained-words.ts';
import { withReceived } from '../../explain/received.ts';
import type { AskedFile } from '../../explain/ways.ts';
import { type Code, entry } from '../../message/codes.ts';
import type { Verification } from '../../message/identity.ts';
import type { ServerDependencies } from '../../verify/open-authorization-server.ts';
import { buildVerifiers } from '../../verify/verifiers.ts';

/** What the gateway finds in one token, and what each route would say about it. */
export interface TokenView {
  /** All members of a JWT's header and payload, as they are written. Undefined: not a JWT. */
  readonly header: JsonObject | undefined;
  readonly claims: JsonObject | undefined;
  readonly token: ExplainedToken;
  readonly routes: readonly RouteVerdict[];
}

export interface RouteVerdict {
  readonly route: string;
  readonly at: string | undefined;
  readonly verdict: 'passes' | 'refused' | 'unavailable';
  readonly code?: Code;
  readonly text?: string;
  /** The result also depends on the request, because the route has `claims` or `when`. */
  readonly depends: boolean;
}

/** Verifies the token as the routes of the running file do. */
export function viewToken(token: string, file: AskedFile): Promise<TokenView> {
  const log = buildLog({ level: 'silent', format: 'json' });
  return withReceived(file, log, (received) => viewBy(token, file, { log, received }));
}

async function viewBy(
  token: string,
  file: AskedFile,
  { log, received }: Pick<ServerDependencies, 'log' | 'received'>,
): Promise<TokenView> {
  const { config, directory } = file;
  const heard = new Map<string, JsonObject>();
  const hear = (server: string, answer: JsonObject) => void heard.set(server, answer);
  const verifiers = buildVerifiers(config, { clock: systemClock, log, directory, received, heard: hear });
  try {
    await verifiers.start();
    const routes = buildDryEngine(file, verifiers.verifier).routes.filter(readsTokens);
    const judged: Judged[] = [];
    for (const route of routes) judged.push({ route, verification: await route.verify(token) });
    const best = judged.find(({ verification }) => verification.kind === 'verified') ?? judged[0];
    const scene = { config, token, route: best?.route, outcome: outcomeOf(best), now: systemClock.now() / 1000, heard };
    return { ...partsOf(token), token: explainToken(scene), routes: judged.map(verdictOf) };
  } finally {
    await verifiers.close();
  }
}

function readsTokens({ access, takesBearer }: Route): boolean {
  return access !== 'public' && takesBearer;
}

function partsOf(token: string): Pick<TokenView, 'header' | 'claims'> {
  const parts = looksLikeJwt(token) ? token.split('.').map((part) => Buffer.from(part, 'base64url')) : [];
  const [header, claims] = parts.slice(0, 2).map((bytes) => parseJsonObject(bytes));
  return { header: isObject(header) ? header : undefined, claims: isObject(claims) ? claims : undefined };
}

interface Judged {
  readonly route: Route;
  readonly verification: Verification;
}

/** The outcome of a request with this token, for the checks of `explainToken`. */
function outcomeOf(best: Judged | undefined): Outcome {
  if (best === undefined) return refuse('route_not_found');
  const { route, verification } = best;
  switch (verification.kind) {
    case 'verified':
      return refuse('scope_insufficient', { route, identity: verification.identity });
    case 'refused':
      return refuse(verification.code, { route, ...verification });
    case 'outage':
      return { kind: 'unavailable', code: 'authorization_server_unavailable', route, outage: verification };
  }
}

function verdictOf({ route, verification }: Judged): RouteVerdict {
  const { claims, when } = route.requirements;
  const place = { route: route.id, at: route.at, depends: claims !== undefined || when !== undefined };
  if (verification.kind === 'outage') {
    const { dependency, detail } = verification;
    return { ...place, verdict: 'unavailable', text: [dependency, detail].filter(Boolean).join(': ') };
  }
  const refusal =
    verification.kind === 'refused' ? verification : permit(route.requirements, verification.identity, () => []);
  if (refusal === undefined) return { ...place, verdict: 'passes' };
  const held = verification.kind === 'verified' ? verification.identity.scopes : undefined;
  return { ...place, verdict: 'refused', code: refusal.code, text: textOf(refusal.code, route, held) };
}

function textOf(code: Code, { requirements: { scope } }: Route, held: ReadonlySet<string> | undefined): string {
  if (code !== 'scope_insufficient' || scope === undefined || held === undefined) return entry(code).text;
  const { needed, missing } = neededScopes(scope, held);
  return `needs ${needed}; missing: ${missing}`;
}
