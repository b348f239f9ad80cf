import { entry } from '../message/codes.ts';
import type { Identity } from '../message/identity.ts';
import { originForm } from '../message/target.ts';
import { enforce } from './enforce.ts';
import type { Forward, Outcome, Refuse } from './outcome.ts';
import type { Routed } from './routed.ts';

/**
 * Shadow mode: the request goes on as it came, and what enforcing would have done is recorded. Only a valid token brings
 * identity headers, so that nothing behind the gateway can begin to rely on a caller that nobody verified.
 */
export function forwardInShadow(routed: Routed, form?: Buffer): Outcome | Promise<Outcome> {
  const { wouldRefuse } = routed;
  if (wouldRefuse !== undefined) return untouched(routed, form, wouldRefuse, undefined);
  const enforced = enforce(routed, form);
  return enforced instanceof Promise
    ? enforced.then((outcome) => record(routed, form, outcome))
    : record(routed, form, enforced);
}

function record(routed: Routed, form: Buffer | undefined, outcome: Outcome): Outcome {
  if (outcome.kind === 'reply') return outcome;
  if (outcome.kind === 'forward') return untouched(routed, form, 'pass', outcome.identity);
  return untouched(routed, form, outcome, outcome.kind === 'refuse' ? knownTo(outcome) : undefined);
}

/** What is 401 is no valid credential for this API, though it may be one for another: its user did not come here by it. */
function knownTo({ code, identity }: Refuse): Identity | undefined {
  return entry(code).status === 401 ? undefined : identity;
}

function untouched(
  { head, route, target }: Routed,
  form: Buffer | undefined,
  shadow: NonNullable<Forward['shadow']>,
  identity: Identity | undefined,
): Forward {
  return {
    kind: 'forward',
    route,
    target: targetFor(route.rewrite?.(target.path), target, originForm(head.target)?.text ?? head.target),
    identity,
    identityHeaders: (identity && route.identityHeaders.write(identity)) ?? [],
    cache: undefined,
    body: form ?? 'stream',
    bodyChanged: false,
    answerFields: [],
    privateResponse: false,
    shadow,
    asCame: route.onlyLooksOn,
  };
}

/** The received bytes; a rewrite is where the upstream lies, not something that is refused, so it is carried out. */
function targetFor(rewritten: unknown, { query }: Routed['target'], received: string): string {
  return typeof rewritten === 'string' ? rewritten + query : received;
}
