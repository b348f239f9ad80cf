import type { Outcome } from '../decide/outcome.ts';
import type { Route } from '../decide/route.ts';
import { defaultHost } from '../explain/dry-engine.ts';
import { enforced } from '../explain/enforced.ts';
import type { SimulatedOutcome } from '../explain/simulate.ts';
import { operationOf } from '../explain/simulated-call.ts';
import type { SimulatedRequest } from '../explain/simulated-request.ts';
import { type Code, codeGroups, entry, isCode } from '../message/codes.ts';
import type { ScopeRequirement } from '../message/scope-requirement.ts';
import { captures } from '../routing/captures.ts';
import { looseParts } from '../routing/path-parts.ts';
import { meeting } from './callers.ts';
import { grouped } from './compare.ts';
import type { CompiledFile, TokenOfIssuer } from './compiled-file.ts';
import { conditionOf } from './probes.ts';
import { answerOf, isJudged, judgedCode, type Recorded, readDecisionLine } from './recorded.ts';
import { smallestSets } from './scope-sets.ts';

/** Recorded requests whose answer changes. Each route, client and pair of answers has one entry. */
export interface Replayed {
  readonly was: string;
  readonly now: string;
  readonly method: string;
  readonly route: string | undefined;
  readonly client: string | undefined;
  readonly count: number;
  /** The path of one of these requests. */
  readonly example: string;
  /** How many other paths these requests have. */
  readonly others: number;
}

export interface Replay {
  readonly requests: number;
  readonly changed: readonly Replayed[];
  /** The answer depends on something that the log does not contain: a scope, a claim, a condition. */
  readonly undecided: number;
  /** Lines that are ignored: outages, clients that left, lines that are not decisions. */
  readonly ignored: number;
}

export async function replay(lines: Iterable<string>, old: CompiledFile, now: CompiledFile): Promise<Replay> {
  const changed: Replayed[] = [];
  let [requests, undecided, ignored] = [0, 0, 0];
  for (const line of lines) {
    if (line.trim() === '') continue;
    const recorded = readDecisionLine(line);
    if (recorded === undefined || !isJudged(recorded)) {
      ignored++;
      continue;
    }
    requests++;
    const was = answerOf(recorded.code);
    const answer = await answerNow(recorded, old, now);
    if (answer === undefined) undecided++;
    else if (answer !== was) changed.push(entryFor(recorded, was, answer));
  }
  return { requests, changed: counted(changed), undecided, ignored };
}

/**
 * The answer of the new file, if it is the same for every caller who could have sent the request. Undefined: the old
 * file does not reproduce the recorded answer, so the log lacks the decisive value.
 */
async function answerNow(recorded: Recorded, old: CompiledFile, now: CompiledFile): Promise<string | undefined> {
  const before = old.named(recorded.route);
  const asked = askedAgain(recorded, old, before);
  const then = await old.ask(asked);
  if (recorded.route !== undefined && then.route?.id !== recorded.route) return undefined;
  const bare = await now.ask(asked);
  const callers = callersOf(recorded, before, bare.route);
  if (callers === undefined || dependsOnMore(old, before, now, bare.route)) {
    const isLost = then.route !== undefined && bare.route === undefined;
    return isLost && bare.outcome.kind === 'refuse' ? inWords(bare.outcome, recorded) : undefined;
  }
  const answers = new Set<string>();
  for (const caller of callers) {
    if (!isAsRecorded(await askAs(caller, old, then.route, asked), recorded)) return undefined;
    answers.add(inWords((await askAs(caller, now, bare.route, asked)).outcome, recorded));
  }
  return answers.size === 1 ? [...answers][0] : undefined;
}

/** Compares what the client got, and what enforcing would have given. */
function isAsRecorded({ outcome }: SimulatedOutcome, recorded: Recorded): boolean {
  return (
    inWords(outcome, recorded) === answerOf(recorded.code) &&
    inWords(enforced(outcome), recorded) === answerOf(judgedCode(recorded))
  );
}

/** The log contains no headers, so the replay adds the headers that chose the route. */
function askedAgain(recorded: Recorded, old: CompiledFile, before: Route | undefined): SimulatedRequest {
  const written = old.written(before);
  const { headers, query } = written === undefined ? { headers: [], query: '' } : conditionOf(written);
  const host = recorded.host ?? defaultHost(old.config);
  const { method, path, operation } = recorded;
  return { method, host, target: path + query, headers, operation };
}

/** A client that sent a bad token sees the same answer for each code of the same status. */
function inWords(outcome: Outcome, recorded: Recorded): string {
  if (outcome.kind !== 'refuse') return 'forwarded';
  const code = judgedCode(recorded);
  const isSameStatus = isCode(code) && entry(code).status === entry(outcome.code).status;
  return answerOf(isSameStatus ? code : outcome.code);
}

/** A recorded request's credential: its own header lines, a token that no server accepts, or a token with known facts. */
type Caller =
  | { readonly headers: readonly (readonly [string, string])[] }
  | { readonly token: TokenOfIssuer }
  | { readonly known: Recorded; readonly scopes: readonly string[] };

const ANONYMOUS: Caller = { headers: [] };
const BAD_TOKEN: Caller = { token: { issuer: '' } };
const SCHEME_ALONE = ['Authorization', 'Bearer'] as const;

/** Codes for which the request did not carry exactly one token. */
const carried: Partial<Record<Code, Caller>> = {
  credential_missing: ANONYMOUS,
  credential_malformed: { headers: [SCHEME_ALONE] },
  credential_repeated: { headers: [SCHEME_ALONE, SCHEME_ALONE] },
};

/** The callers who may have sent the request. Undefined: the log does not say enough. */
function callersOf(
  recorded: Recorded,
  before: Route | undefined,
  after: Route | undefined,
): readonly Caller[] | undefined {
  const code = judgedCode(recorded);
  if (code === 'condition_failed') return undefined;
  if (isCode(code) && isAboutToken(code)) return [carried[code] ?? BAD_TOKEN];
  const known = recorded.subject ?? recorded.client ?? recorded.cache ?? recorded.scope_held;
  if (known === undefined) return [ANONYMOUS];
  const needed = requirementOf(before, recorded);
  const enough = needed === undefined ? [[]] : smallestSets(needed, requirementOf(after, recorded));
  const sets = recorded.scope_held === undefined ? enough : [recorded.scope_held];
  return sets.map((scopes) => ({ known: recorded, scopes }));
}

/** The requirement of the route, or of its rule for the operation. */
function requirementOf(route: Route | undefined, { operation }: Recorded): ScopeRequirement | undefined {
  const match = operation === undefined ? undefined : route?.mcp?.rules.find(operationOf(operation));
  return (match?.kind === 'rule' ? match.rule.value : route)?.requirements.scope;
}

function isAboutToken(code: Code): boolean {
  return Object.hasOwn(codeGroups.credentials, code);
}

function askAs(
  caller: Caller,
  side: CompiledFile,
  route: Route | undefined,
  asked: SimulatedRequest,
): Promise<SimulatedOutcome> {
  if ('headers' in caller) return side.ask({ ...asked, headers: [...(asked.headers ?? []), ...caller.headers] });
  return side.ask(asked, 'token' in caller ? caller.token : tokenFor(caller.known, caller.scopes, side, route, asked));
}

/** A token from a server of the route, with claims that meet its conditions. Both files get the same claims. */
function tokenFor(
  { subject, client }: Recorded,
  scopes: readonly string[],
  side: CompiledFile,
  route: Route | undefined,
  { host, target }: SimulatedRequest,
): TokenOfIssuer {
  const written = side.written(route);
  const [name = ''] = written?.authorization_servers ?? Object.keys(side.config.authorization_servers);
  const captured =
    route === undefined ? { host: {}, path: {} } : captures(route, host, looseParts(target.split('?')[0] as string));
  return {
    issuer: side.config.authorization_servers[name]?.issuer ?? '',
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    ...(subject !== undefined && { sub: subject }),
    ...(client !== undefined && { client_id: client }),
    claims: { ...meeting(written?.claims ?? {}, captured) },
  };
}

/** A new or changed condition reads values that the log does not contain. */
function dependsOnMore(
  old: CompiledFile,
  before: Route | undefined,
  now: CompiledFile,
  route: Route | undefined,
): boolean {
  const rules = (written: ReturnType<CompiledFile['written']>) =>
    JSON.stringify([written?.claims, written?.when, written?.origins]);
  const next = now.written(route);
  return (next?.claims ?? next?.when ?? next?.origins) !== undefined && rules(next) !== rules(old.written(before));
}

function entryFor({ method, route, client, path }: Recorded, was: string, now: string): Replayed {
  return { was, now, method, route, client, count: 1, example: path, others: 0 };
}

function counted(changed: readonly Replayed[]): readonly Replayed[] {
  const groups = grouped(changed, ({ was, now, method, route, client }) =>
    JSON.stringify([was, now, method, route, client]),
  );
  return groups
    .map((group) => ({
      ...(group[0] as Replayed),
      count: group.length,
      others: new Set(group.map(({ example }) => example)).size - 1,
    }))
    .sort((one, other) => other.count - one.count);
}
