import { sendAll } from '../../support/many.ts';
import { requestText } from '../../support/request-text.ts';
import type { Seen } from '../../support/witness.ts';
import type { CompileCase } from './compile-cases.ts';

/** What reached an upstream, by the number of the case, and each status. */
export interface Reached {
  readonly seen: ReadonlyMap<string, Seen>;
  readonly statuses: ReadonlyMap<string, number>;
}

export async function reached(seen: readonly Seen[], port: number, cases: readonly CompileCase[]): Promise<Reached> {
  const statuses = new Map<string, number>();
  await sendAll({
    port,
    items: cases.entries(),
    bytes: ([index, { headers, ...request }]) =>
      requestText({ ...request, headers: [...headers, ['X-Case', String(index)]] }),
    method: ([, { method }]) => method,
    onAnswer: ([index], response) => statuses.set(String(index), response?.status ?? 0),
  });
  return { seen: new Map(seen.map((each) => [each.header('x-case') ?? '', each])), statuses };
}

/** The names of the gateway's own headers, and of headers that a client could forge. */
const COMPARED = [
  'x-auth-subject',
  'x-auth-client',
  'x-auth-other',
  'x.auth.subject',
  'x_auth_subject',
  'x-original-url',
  'x-http-method-override',
  'authorization',
  'host',
];

export interface Compared {
  /** Envoy forwarded what the gateway refused. */
  readonly wider: readonly string[];
  /** Both forwarded, but not the same. */
  readonly changed: readonly string[];
  /** Only the gateway forwarded. */
  readonly narrower: readonly string[];
  readonly both: number;
}

/** What went through a proxy, beside what the gateway forwarded itself. */
export function compareReached(
  cases: readonly CompileCase[],
  direct: Reached,
  through: Reached,
  differ: typeof differences = differences,
): Compared {
  const told = (index: string) =>
    `${cases[Number(index)]?.name}: ${direct.statuses.get(index)}, ${through.statuses.get(index)}`;
  const both = [...through.seen.keys()].filter((index) => direct.seen.has(index));
  const differing = (index: string) => differ(direct.seen.get(index), through.seen.get(index));
  return {
    wider: [...through.seen.keys()].filter((index) => !direct.seen.has(index)).map(told),
    changed: both.flatMap((index) => differing(index).map((difference) => `${told(index)}: ${difference}`)),
    narrower: [...direct.seen.keys()].filter((index) => !through.seen.has(index)).map(told),
    both: both.length,
  };
}

/** Envoy joins the lines of a field, which is the same field (RFC 9110 §5.3). */
export function differences(one: Seen | undefined, other: Seen | undefined): readonly string[] {
  const values = (seen: Seen | undefined): Record<string, string | undefined> => ({
    method: seen?.method,
    target: seen?.target,
    body: seen?.hash,
    ...Object.fromEntries(COMPARED.map((name) => [name, seen?.all(name).join(',')])),
  });
  const [before, after] = [values(one), values(other)];
  const found = Object.keys(before).filter((name) => before[name] !== after[name]);
  const scope = scopeDifference(one?.header('x-auth-scope'), other?.header('x-auth-scope'));
  return [...found.map((name) => `${name} ${before[name]} → ${after[name]}`), ...scope];
}

/** Envoy writes this header only from a `scope` that is a text. */
function scopeDifference(before: string | undefined, after: string | undefined): readonly string[] {
  return after === undefined || before === after ? [] : [`scope ${before} → ${after}`];
}
