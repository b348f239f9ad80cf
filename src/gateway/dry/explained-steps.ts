import { splitCredentials } from '../../http-auth/scheme.ts';
import { type Code, entry } from '../codes.ts';
import type { Identity } from '../identity.ts';
import type { Outcome } from '../outcome.ts';
import type { RequestHead } from '../request-head.ts';
import type { Route } from '../routing/route.ts';
import { stepOf } from '../step.ts';
import { missingScope } from '../telemetry/decision-record.ts';
import type { Sound } from './dry-engine.ts';
import type { Judged } from './judge.ts';
import { authorityOf } from './upstream-request.ts';

/** In the order in which the engine takes them. */
const steps = ['message', 'host', 'target', 'route', 'credential', 'verify', 'permit', 'rewrite', 'forward'] as const;
type StepName = (typeof steps)[number] | 'throttle';

/** A limit is a step only where there is one, and it stands before or after the verification. */
function orderOf(route: Route | undefined): readonly StepName[] {
  const limit = route?.rateLimit;
  if (limit === undefined) return steps;
  const at = steps.indexOf(limit.byAddress ? 'verify' : 'permit');
  return [...steps.slice(0, at), 'throttle', ...steps.slice(at)];
}

export interface ExplainedStep {
  readonly step: StepName;
  readonly verdict: 'passed' | 'refused' | 'unavailable' | 'skipped' | 'not reached';
  readonly detail: string;
  /** The lines of the file that decided, as file:line. */
  readonly at: string | undefined;
}

export function stepsOf(
  loaded: Pick<Sound, 'locate'>,
  routes: readonly Route[],
  judged: Judged,
  seen: Outcome,
): readonly ExplainedStep[] {
  const end = endOf(seen);
  const order = orderOf(judged.route);
  const last = end === undefined ? order.length : order.indexOf(end);
  const scene: Scene = { ...judged, seen, skipped: skippedOf(judged, seen) };
  return order.map((step, index): ExplainedStep => {
    const at = placeOf(loaded, routes, judged.route, keys[step](seen));
    if (index > last) return { step, verdict: 'not reached', detail: '', at: undefined };
    if (step === end) return { step, verdict: verdictOf(seen), detail: reasonOf(seen), at };
    const skipped = scene.skipped.has(step);
    return skipped
      ? { step, verdict: 'skipped', detail: details[step](scene), at: undefined }
      : { step, verdict: 'passed', detail: details[step](scene), at };
  });
}

interface Scene extends Judged {
  readonly seen: Outcome;
  readonly skipped: ReadonlySet<StepName>;
}

/** The step at which it ended; undefined: it went all the way. */
function endOf(seen: Outcome): StepName | undefined {
  if (seen.kind === 'forward') return undefined;
  if (seen.kind === 'reply') return 'route';
  if (seen.kind === 'refuse' && seen.detail === 'after rewriting') return 'rewrite';
  return ends[seen.code] ?? names[stepOf(seen.code) ?? 'forward'];
}

const names: Readonly<Record<NonNullable<ReturnType<typeof stepOf>>, StepName>> = {
  message: 'message',
  target: 'target',
  route: 'route',
  extract: 'credential',
  throttle: 'throttle',
  verify: 'verify',
  permit: 'permit',
  forward: 'forward',
};

const ends: Partial<Record<Code, StepName>> = {
  host_invalid: 'host',
  target_other_host: 'host',
  target_encoded_slash: 'route',
  target_path_parameter: 'route',
  body_too_large: 'route',
  identity_unrepresentable: 'forward',
};

/** What nobody looks at without a credential, or on a public route. */
function skippedOf({ route }: Judged, seen: Outcome): ReadonlySet<StepName> {
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
  if (seen.kind === 'reply') return 'answered by the gateway itself';
  const missing = missingScope(seen.code, seen.route, seen.kind === 'refuse' ? seen.identity : undefined);
  const detail = seen.kind === 'refuse' ? seen.detail : seen.outage.detail;
  const more = [
    ...(detail === undefined ? [] : [detail]),
    ...(missing === undefined ? [] : [`missing: ${missing}`, `held: ${heldBy(seen)}`]),
  ];
  return [entry(seen.code).text, ...(more.length === 0 ? [] : [`(${more.join('; ')})`])].join(' ');
}

function heldBy(seen: Outcome): string {
  const scopes = seen.kind === 'refuse' ? [...(seen.identity?.scopes ?? [])] : [];
  return scopes.length === 0 ? 'none' : scopes.join(' ');
}

/** What there is to say of a step that did not end the request. */
const details: Readonly<Record<StepName, (scene: Scene) => string>> = {
  message: () => 'well-formed',
  host: ({ head }) => head.host?.value ?? '',
  target: () => 'no segment that an upstream could read in another way',
  route: ({ route }) => (route?.id ? route.id : 'none: the default upstream, because the file is in shadow mode'),
  credential: ({ route, head, skipped }) => {
    if (route?.access === 'public') return 'a public route looks at none';
    return skipped.has('verify') ? 'none, and none is required' : credentialInWords(head);
  },
  throttle: ({ route, skipped }) => limitInWords(route, skipped.has('verify')),
  verify: ({ seen, skipped }) => (skipped.has('verify') ? '' : identityInWords(identityIn(seen))),
  permit: ({ route, skipped }) => (skipped.has('permit') ? '' : requirementInWords(route)),
  rewrite: ({ route, seen }) =>
    route?.rewrite === undefined ? 'the path stays' : `to ${seen.kind === 'forward' ? seen.target : ''}`,
  forward: ({ route }) => (route === undefined ? '' : `to ${route.upstream.name} (${authorityOf(route.upstream)})`),
};

function credentialInWords({ authorization }: RequestHead): string {
  const scheme = authorization && splitCredentials(authorization.value)?.scheme;
  return scheme === 'basic' || scheme === 'digest' ? `credentials of ${scheme}` : 'a bearer token';
}

function identityIn(seen: Outcome): Identity | undefined {
  return seen.kind === 'forward' || seen.kind === 'refuse' ? seen.identity : undefined;
}

function identityInWords(identity: Identity | undefined): string {
  if (identity === undefined) return '';
  const { subject = 'nobody', clientId = 'no client', scopes, server, scheme, issuer } = identity;
  if (scheme !== 'bearer') return `${subject}, scope ${[...scopes].join(' ') || 'none'}, by the users of ${issuer}`;
  return `${subject} by ${clientId}, scope ${[...scopes].join(' ') || 'none'}, vouched for by ${server}`;
}

function limitInWords(route: Route | undefined, isAnonymous: boolean): string {
  const limit = route?.rateLimit;
  if (limit === undefined) return '';
  const who = isAnonymous && !limit.byAddress ? '; without a token by address' : '';
  return `${limit.text}${who}; nothing is counted here`;
}

function requirementInWords(route: Route | undefined): string {
  const { scope, claims, when } = route?.requirements ?? {};
  const alternatives = scope?.map((words) => words.join(' ')).join(', or ');
  const asked = [alternatives && `scope ${alternatives}`, claims && 'claims', when && '`when`'].filter(Boolean);
  return asked.length === 0 ? 'any valid token' : `held: ${asked.join('; ')}`;
}

/** The key of the route that decides a step. */
const keys: Readonly<Record<StepName, (seen: Outcome) => string | undefined>> = {
  message: () => undefined,
  host: () => undefined,
  target: () => undefined,
  route: () => 'match',
  credential: () => 'bearer_methods_supported',
  throttle: () => 'rate_limit',
  verify: () => 'authorization_servers',
  permit: (seen) => permitKeys(seen),
  rewrite: () => 'rewrite',
  forward: () => 'upstream',
};

function permitKeys(seen: Outcome): string {
  if (seen.kind !== 'refuse') return 'scope';
  if (seen.code === 'token_audience') return 'audience';
  return seen.code === 'condition_failed' ? (seen.detail ?? 'claims') : 'scope';
}

function placeOf(
  { locate }: Pick<Sound, 'locate'>,
  routes: readonly Route[],
  route: Route | undefined,
  key: string | undefined,
): string | undefined {
  const index = route === undefined ? -1 : routes.indexOf(route);
  if (index === -1 || key === undefined) return undefined;
  const { file, line } = locate(['routes', index, key]);
  return line === 0 ? file : `${file}:${line}`;
}
