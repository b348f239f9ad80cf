import { entry } from '../message/codes.ts';
import type { Identity } from '../message/identity.ts';
import { originForm } from '../message/target.ts';
import { enforce } from './enforce.ts';
import type { Forward, Outcome, Refuse } from './outcome.ts';
import type { Routed } from './routed.ts';

/**
 * Shadow mode: the gateway forwards the request unchanged, and the log records what enforcing would have done. Only a
 * valid token adds identity headers, so the API never relies on an unverified caller.
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

/**
 * A 401 means that the credential is not valid for this API. It may be valid for another API, so the log does not name
 * its user.
 */
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

/** The received target. A `rewrite` still applies, because it says where the upstream's path is and refuses nothing. */
function targetFor(rewritten: unknown, { query }: Routed['target'], received: string): string {
  return typeof rewritten === 'string' ? rewritten + query : received;
}
