import { OURS } from '../decide/our-fields.ts';
import { isHandedOn } from '../forward/upstream-fields.ts';
import type { Forward } from '../outcome.ts';
import type { RequestHead, Via } from '../request-head.ts';

export interface Allowing {
  readonly head: RequestHead;
  readonly plan: Forward;
  readonly via: Via;
  /** Whole seconds. */
  readonly lifetime: number;
  /** What decides beside method, host, target and credential: header names, or `*` for what nobody can list. */
  readonly vary: string;
  /** In lower case. */
  readonly requestIdHeader: string;
}

/** The header lines of a decision that a request passes: what the proxy copies, clears, and remembers it by. */
export function allowance({ head, plan, via, lifetime, vary, requestIdHeader }: Allowing): readonly string[] {
  const written = new Set(plan.identityHeaders.filter((_, index) => index % 2 === 0));
  const cleared = clearedFrom(head, plan).filter((name) => name !== requestIdHeader);
  return [
    ...remembered(via, lifetime, vary),
    'content-length',
    '0',
    'x-gatehouse-clear',
    cleared.join(', '),
    'x-gatehouse-target',
    plan.target,
    ...plan.identityHeaders,
    ...plan.answerFields,
    ...ofVia[via](
      head,
      plan,
      cleared.filter((name) => !written.has(name)),
    ),
  ];
}

/** nginx goes by the first of these lines that it knows, and never keeps what is private. */
function remembered(via: Via, lifetime: number, vary: string): readonly string[] {
  const accel = via === 'nginx' ? ['x-accel-expires', String(lifetime)] : [];
  return [...accel, 'cache-control', lifetime === 0 ? 'no-store' : `private, max-age=${lifetime}`, 'vary', vary];
}

/** What a proxy writes itself, or what is written for it by the name that it has. */
const OF_PROXIES = /^(?:forwarded|x-forwarded(?:-[a-z]+)+)$/;

/**
 * What must not reach the upstream as the client sent it: the names that we write, every spelling of them that came, and
 * the credential, unless the route hands it on (T28).
 */
function clearedFrom(head: RequestHead, plan: Forward): readonly string[] {
  const { identityHeaders } = plan.route;
  const came = head.fields.filter((name, index) => {
    if (index % 2 === 1 || OURS.has(name) || OF_PROXIES.test(name)) return false;
    return identityHeaders.spoofs(name);
  });
  const credential = isHandedOn(plan) ? [] : ['authorization'];
  return [...new Set([...identityHeaders.names, ...came, ...credential])];
}

/** What one kind of proxy needs beside: each table entry is one way of being told. */
const ofVia: Readonly<
  Record<Via, (head: RequestHead, plan: Forward, removed: readonly string[]) => readonly string[]>
> = {
  nginx: () => [],
  // It takes the line in place of the client's, and none for none.
  'forward-auth': ({ authorization }, plan) =>
    isHandedOn(plan) && authorization?.lines === 1 ? ['authorization', authorization.value] : [],
  // It removes after it has set, so what is written is not among them.
  envoy: (_, __, removed) => ['x-envoy-auth-headers-to-remove', removed.join(',')],
};
