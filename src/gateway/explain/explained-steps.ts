import type { Pointer } from '../../config/load/load.ts';
import { splitCredentials } from '../../http-auth/scheme.ts';
import type { Outcome, Refuse } from '../decide/outcome.ts';
import { placedCredentials } from '../decide/placed-credentials.ts';
import type { Route } from '../decide/route.ts';
import { entry, type Step } from '../message/codes.ts';
import type { Identity } from '../message/identity.ts';
import type { RequestHead } from '../message/request-head.ts';
import type { ScopeRequirement } from '../message/scope-requirement.ts';
import { schemeNamed } from '../schemes/schemes-of.ts';
import type { CheckedGatewayFile } from './dry-engine.ts';
import { callKeys, operationInWords } from './explained-call.ts';
import { impliedInWords, mismatchInWords, neededScopes, scopesInWords } from './explained-words.ts';
import { isUser, refusalText } from './refusal-text.ts';
import type { SimulatedOutcome } from './simulate.ts';
import { authorityOf } from './upstream-request.ts';

/** In the order of the engine. */
const steps = ['message', 'host', 'target', 'route', 'credential', 'verify', 'permit', 'rewrite', 'forward'] as const;
type StepName = (typeof steps)[number] | 'throttle';

/** A limit is a step only if the route has one. It runs before or after the verification. */
function orderOf(route: Route | undefined): readonly StepName[] {
  const limit = route?.rateLimit;
  if (limit === undefined) return steps;
  const at = steps.indexOf(limit.byAddress ? 'verify' : 'permit');
  return [...steps.slice(0, at), 'throttle', ...steps.slice(at)];
}

export interface ExplainedStep {
  readonly step: StepName;
  readonly verdict: 'passed' | 'refused' | 'unavailable' | 'undecided' | 'skipped' | 'not reached';
  readonly detail: string;
  /** The lines of the file that decided, as file:line. */
  readonly at: string | undefined;
}

/** How the steps show what is not part of the outcome. */
export interface StepsView {
  /** The position of a key of the judged route, as file:line. Undefined: not known. */
  readonly place: (key: Pointer) => string | undefined;
  /** A target without what must not be shown. */
  readonly target: (target: string) => string;
}

export function stepsOf(view: StepsView, judged: SimulatedOutcome, seen: Outcome): readonly ExplainedStep[] {
  const end = endOf(seen);
  const order = orderOf(judged.route);
  const last = end === undefined ? order.length : order.indexOf(end);
  const scene: Scene = { ...judged, seen, target: view.target, skipped: skippedOf(judged, seen) };
  return order.map((step, index): ExplainedStep => {
    const at = view.place([keys[step](seen) ?? []].flat());
    if (index > last) return { step, verdict: 'not reached', detail: '', at: undefined };
    if (step === end) return { step, verdict: verdictOf(seen), detail: reasonOf(seen), at };
    const skipped = scene.skipped.has(step);
    return skipped
      ? { step, verdict: 'skipped', detail: details[step](scene), at: undefined }
      : { step, verdict: 'passed', detail: details[step](scene), at };
  });
}

interface Scene extends SimulatedOutcome {
  readonly seen: Outcome;
  readonly target: StepsView['target'];
  readonly skipped: ReadonlySet<StepName>;
}

/** The step at which the request ended. Undefined: it passed all steps. */
function endOf(seen: Outcome): StepName | undefined {
  if (seen.kind === 'forward') return undefined;
  if (seen.kind === 'reply') return 'route';
  if (seen.kind === 'refuse' && seen.cause === 'rewrite') return 'rewrite';
  const { step, explainedAt } = entry(seen.code);
  return explainedAt ?? names[step];
}

const names: Readonly<Record<Step, StepName>> = {
  message: 'message',
  target: 'target',
  route: 'route',
  extract: 'credential',
  throttle: 'throttle',
  verify: 'verify',
  permit: 'permit',
  forward: 'forward',
};

/** Steps that are skipped without a credential, or on a public route. */
function skippedOf({ route }: SimulatedOutcome, seen: Outcome): ReadonlySet<StepName> {
  if (route?.access === 'public') return new Set(['credential', 'verify', 'permit']);
  return seen.kind === 'forward' && seen.identity === undefined ? new Set(['verify', 'permit']) : new Set();
}

const verdicts: Readonly<Partial<Record<Outcome['kind'], ExplainedStep['verdict']>>> = {
  refuse: 'refused',
  unavailable: 'unavailable',
};

function verdictOf({ kind }: Outcome): ExplainedStep['verdict'] {
  return verdicts[kind] ?? 'passed';
}

function reasonOf(seen: Outcome): string {
  if (seen.kind === 'forward') return '';
  if (seen.kind === 'reply') return ['the gateway itself answers', blocked(seen)].join('');
  const more = seen.kind === 'refuse' ? refusalDetails(seen) : [seen.outage.detail];
  const shown = more.filter((each) => each !== undefined);
  return [refusalText(seen), ...(shown.length === 0 ? [] : [`(${shown.join('; ')})`])].join(' ');
}

function refusalDetails({ code, route, identity, detail, mismatch }: Refuse): readonly (string | undefined)[] {
  const needed = code === 'scope_insufficient' ? route?.requirements.scope : undefined;
  const told = [detail, mismatch && mismatchInWords(mismatch)];
  if (needed === undefined || identity === undefined) return told;
  const { scopes } = identity;
  const words = neededScopes(needed, scopes);
  return [...told, `needed: ${words.needed}`, `missing: ${words.missing}`, `held: ${heldInWords(needed, scopes)}`];
}

function heldInWords(needed: ScopeRequirement, held: ReadonlySet<string>): string {
  const implied = impliedInWords(needed, held);
  return implied === '' ? scopesInWords(held) : `${scopesInWords(held)} (${implied})`;
}

/** A browser obeys a preflight's header lines, whatever its status. */
function blocked({ reason }: Extract<Outcome, { kind: 'reply' }>): string {
  return reason === undefined ? '' : `; a browser will not send the request: ${reason}`;
}

/** Details of a step that did not end the request. */
const details: Readonly<Record<StepName, (scene: Scene) => string>> = {
  message: () => 'well-formed',
  host: ({ head }) => head.host?.value ?? '',
  target: () => 'no segment that servers read in different ways',
  route: ({ route }) => (route?.id ? route.id : 'none: the default upstream, because the file is in shadow mode'),
  credential: ({ route, head, skipped }) => {
    if (route?.access === 'public') return 'a public route reads none';
    return skipped.has('verify') ? 'none is sent, and none is required' : credentialInWords(route, head);
  },
  throttle: ({ route, skipped }) => limitInWords(route, skipped.has('verify')),
  verify: ({ seen, skipped }) => (skipped.has('verify') ? '' : identityInWords(identityIn(seen))),
  permit: ({ route, seen, skipped }) =>
    [operationInWords(seen), skipped.has('permit') ? '' : requirementInWords(route, identityIn(seen))]
      .filter(Boolean)
      .join('; '),
  rewrite: ({ route, seen, target }) =>
    route?.rewrite === undefined ? 'the path stays' : `to ${seen.kind === 'forward' ? target(seen.target) : ''}`,
  forward: ({ route }) => (route === undefined ? '' : `to ${route.upstream.name} (${authorityOf(route.upstream)})`),
};

function credentialInWords(route: Route | undefined, head: RequestHead): string {
  const { authorization, target } = head;
  const query = target.includes('?') ? target.slice(target.indexOf('?')) : '';
  const placed = placedCredentials(head, query, route?.schemes ?? [])?.found[0]?.scheme;
  const scheme = placed ?? (authorization && splitCredentials(authorization.value)?.scheme);
  return scheme !== undefined && schemeNamed(scheme) ? `credentials of ${scheme}` : 'a bearer token';
}

function identityIn(seen: Outcome): Identity | undefined {
  return seen.kind === 'forward' || seen.kind === 'refuse' ? seen.identity : undefined;
}

function identityInWords(identity: Identity | undefined): string {
  if (identity === undefined) return '';
  const { scopes, server } = identity;
  const scheme = schemeNamed(identity.scheme);
  const verified = scheme === undefined ? `verified by ${server}` : scheme.describe(identity);
  const owner = scheme === undefined ? ownerInWords(identity) : (identity.subject ?? 'no user');
  return `${owner}, scope ${[...scopes].join(' ') || 'none'}, ${verified}`;
}

/** A token that a client gets for itself has the client as its subject (RFC 9068 §2.2). */
function ownerInWords({ subject, clientId }: Identity): string {
  if (subject === undefined) return clientId === undefined ? 'a token without user and client' : `client ${clientId}`;
  if (clientId === undefined) return `user ${subject}`;
  return subject === clientId ? `client ${clientId}` : `user ${subject}, client ${clientId}`;
}

function limitInWords(route: Route | undefined, isAnonymous: boolean): string {
  const limit = route?.rateLimit;
  if (limit === undefined) return '';
  const who = isAnonymous && !limit.byAddress ? '; by address if there is no token' : '';
  return `${limit.text}${who}; this command counts no request`;
}

function requirementInWords(route: Route | undefined, identity: Identity | undefined): string {
  const { scope, claims, when } = route?.requirements ?? {};
  const held = identity?.scopes ?? new Set<string>();
  const asked = [scope && `scope ${neededScopes(scope, held).needed}`, claims && 'claims', when && '`when`'];
  const needed = asked.filter(Boolean).join('; ');
  const holder = isUser(identity) ? 'user' : 'token';
  if (needed === '') return `any valid ${holder}`;
  return `needed: ${needed}${scope === undefined ? '' : `; held: scope ${heldInWords(scope, held)}`}`;
}

/** The route's key that decides a step. */
const keys: Readonly<Record<StepName, (seen: Outcome) => string | Pointer | undefined>> = {
  message: () => undefined,
  host: () => undefined,
  target: () => undefined,
  route: (seen) => (seen.kind === 'refuse' && seen.code === 'origin_refused' ? 'origins' : 'match'),
  credential: () => 'bearer_methods_supported',
  throttle: () => 'rate_limit',
  verify: () => 'authorization_servers',
  permit: (seen) => permitKeys(seen),
  rewrite: () => 'rewrite',
  forward: () => 'upstream',
};

function permitKeys(seen: Outcome): string | Pointer {
  const ofCall = callKeys(seen);
  if (ofCall !== undefined) return ofCall;
  if (seen.kind !== 'refuse') return 'scope';
  if (seen.code === 'token_audience') return 'audience';
  return seen.code === 'condition_failed' ? (seen.detail ?? 'claims') : 'scope';
}

/** The positions of keys in a loaded file, for `StepsView`. */
export function placesIn(
  { locate }: Pick<CheckedGatewayFile, 'locate'>,
  routes: readonly Route[],
  route: Route | undefined,
): StepsView['place'] {
  // The rules of an `mcp` route lead to routes of their own.
  const index = route === undefined ? -1 : routes.findIndex(({ id }) => id === route.id);
  return (key) => {
    if (index === -1 || key.length === 0) return undefined;
    const { file, line } = locate(['routes', index, ...key]);
    return line === 0 ? file || undefined : `${file}:${line}`;
  };
}
