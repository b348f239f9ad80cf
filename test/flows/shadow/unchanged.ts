import type { Seen } from '../../support/witness.ts';

type Line = readonly [name: string, value: string];

/** RFC 9110 §7.6.1, and the framing of RFC 9112: they belong to one connection. */
const OF_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
  'content-length',
]);

/** The fields that the gateway sets for a verified caller, and that no caller may set itself. */
const SET = ['x-auth-subject', 'x-auth-client', 'x-auth-scope'];

const fold = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '-');

export function linesOf({ rawHeaders }: Seen): readonly Line[] {
  return rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] as string] as const] : []));
}

/** What must arrive through the gateway for a request that also arrived directly, without the gateway's additions. */
export function expected(direct: Seen): readonly Line[] {
  const lines = linesOf(direct);
  const named = new Set(
    lines.flatMap(([name, value]) => (name.toLowerCase() === 'connection' ? value.toLowerCase().split(', ') : [])),
  );
  const kept = lines.filter(
    ([name]) => !OF_HOP.has(fold(name)) && !named.has(name.toLowerCase()) && !SET.includes(fold(name)),
  );
  const chain = kept.findLastIndex(([name]) => name.toLowerCase() === 'x-forwarded-for');
  return kept.map(([name, value], at) => {
    if (name === 'Max-Forwards' && ['OPTIONS', 'TRACE'].includes(direct.method) && value === '5') return [name, '4'];
    return at === chain ? [name, `${value}, 127.0.0.1`] : [name, value];
  });
}

export interface Arrived {
  /** As the client sent them. */
  readonly theirs: readonly Line[];
  /** Names that the gateway added, in its order. */
  readonly ours: readonly string[];
}

/** The gateway writes its own after all others. */
export function arrived(shadow: Seen, count: number): Arrived {
  const lines = linesOf(shadow).filter(([name]) => !OF_HOP.has(name.toLowerCase()));
  return { theirs: lines.slice(0, count), ours: lines.slice(count).map(([name]) => name) };
}

const ADDED = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'forwarded', 'x-request-id'];

/** The gateway's additions, each only if the request has no field with that name. */
export function added(theirs: readonly Line[], isVerified: boolean): readonly string[] {
  const there = new Set(theirs.map(([name]) => name.toLowerCase()));
  return [...ADDED.filter((name) => !there.has(name)), 'via', ...(isVerified ? SET : [])];
}
