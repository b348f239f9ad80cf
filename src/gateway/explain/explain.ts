import type { Mismatch } from '../../base/mismatch.ts';
import { normalizeHost } from '../../config/words/host.ts';
import { parseBearer } from '../../http-auth/bearer.ts';
import type { Outcome, Refuse, Unavailable } from '../decide/outcome.ts';
import { credentialParameters } from '../decide/placed-credentials.ts';
import type { Route } from '../decide/route.ts';
import { type Code, entry } from '../message/codes.ts';
import type { RequestHead } from '../message/request-head.ts';
import { judgeTarget } from '../message/target.ts';
import { candidatesFor } from './candidates.ts';
import type { CheckedGatewayFile, DryEngine } from './dry-engine.ts';
import { enforced } from './enforced.ts';
import { type ExplainedStep, placesIn, stepsOf } from './explained-steps.ts';
import { type ExplainedToken, explainToken, type TokenScene } from './explained-token.ts';
import { refusalText } from './refusal-text.ts';
import { type SimulatedOutcome, simulate } from './simulate.ts';
import { type SimulatedRequest, simulatedHead } from './simulated-request.ts';
import { redactTarget, type UpstreamRequest, upstreamRequest } from './upstream-request.ts';

/** Explains the answer to a request, from its target to the request that the upstream would get. */
export interface Explanation {
  readonly request: { readonly method: string; readonly host: string; readonly target: string };
  readonly route: string | undefined;
  readonly candidates: readonly ExplainedCandidate[];
  readonly steps: readonly ExplainedStep[];
  /** Set for a token that was verified, not assumed. */
  readonly token: ExplainedToken | undefined;
  readonly answer: ExplainedAnswer;
  /** In shadow mode: the answer if the route enforced. */
  readonly would_be: ExplainedAnswer | undefined;
  readonly upstream: UpstreamRequest | undefined;
}

export interface ExplainedCandidate {
  readonly route: string;
  readonly at: string | undefined;
  /** Empty: this is the route. */
  readonly misfits: readonly string[];
}

export interface ExplainedAnswer {
  /** `undecided`: the decision needs a server that was not asked. */
  readonly kind: Outcome['kind'] | 'undecided';
  readonly status?: number;
  readonly code?: Code;
  readonly text?: string;
  readonly detail?: string | undefined;
  /** The claim that does not match. */
  readonly mismatch?: Mismatch | undefined;
  readonly challenges?: readonly string[];
  readonly allow?: readonly string[] | undefined;
  readonly retry_after?: number;
}

/** The facts for a token that is verified, not assumed. */
export type Verifying = Pick<TokenScene, 'now' | 'heard'>;

export async function explain(
  loaded: Pick<CheckedGatewayFile, 'config' | 'locate'>,
  dry: DryEngine,
  asked: SimulatedRequest,
  verifying?: Verifying,
): Promise<Explanation> {
  const judged = await simulate(dry.engine, asked);
  const { outcome } = judged;
  const seen = enforced(outcome);
  const parameters = credentialParameters(dry.routes.flatMap(({ schemes }) => schemes));
  const shown = (target: string) => redactTarget(target, parameters);
  return {
    request: { method: asked.method, host: asked.host, target: shown(asked.target) },
    route: judged.route?.id,
    candidates: candidates(dry.routes, asked),
    steps: stepsOf({ place: placesIn(loaded, dry.routes, judged.route), target: shown }, judged, seen),
    token: verifying && tokenOf(loaded, judged, asked, verifying),
    answer: answerOf(outcome),
    would_be: seen === outcome ? undefined : answerOf(seen),
    upstream: outcome.kind === 'forward' ? upstreamRequest(loaded.config, judged.head, outcome) : undefined,
  };
}

function tokenOf(
  { config }: Pick<CheckedGatewayFile, 'config'>,
  judged: SimulatedOutcome,
  asked: SimulatedRequest,
  verifying: Verifying,
) {
  const { head, route, outcome } = judged;
  const token = asked.token ?? tokenInHeader(head);
  if (token === undefined) return undefined;
  return explainToken({ config, token, route, outcome: enforced(outcome), ...verifying });
}

/** The value of `--header 'Authorization: Bearer …'`. */
function tokenInHeader({ authorization }: RequestHead): string | undefined {
  const parsed = authorization && parseBearer(authorization.value);
  return parsed?.kind === 'token' ? parsed.token : undefined;
}

function candidates(routes: readonly Route[], asked: SimulatedRequest): readonly ExplainedCandidate[] {
  const head = simulatedHead(asked);
  const host = head.host?.lines === 1 ? normalizeHost(head.host.value) : undefined;
  const target = judgeTarget(asked.method, asked.target);
  if (host === undefined || target.kind === 'refused') return [];
  const question = { host, key: target.key, method: asked.method, head, query: target.query };
  return candidatesFor(routes, question).map(({ route: { id, at }, misfits }) => ({ route: id, at, misfits }));
}

function answerOf(outcome: Outcome): ExplainedAnswer {
  const { kind } = outcome;
  switch (outcome.kind) {
    case 'forward':
      return { kind };
    case 'reply':
      return { kind, status: outcome.status };
    case 'refuse': {
      const { challenges, allow, detail, mismatch } = outcome;
      return { kind, ...described(outcome), detail, mismatch, challenges, allow };
    }
    case 'unavailable': {
      const { dependency, detail, retryAfter } = outcome.outage;
      const why = [dependency, detail].filter(Boolean).join(': ');
      return { kind, ...described(outcome), detail: why, retry_after: retryAfter };
    }
  }
}

function described(outcome: Refuse | Unavailable) {
  const { code } = outcome;
  return { status: entry(code).status, code, text: refusalText(outcome) };
}
