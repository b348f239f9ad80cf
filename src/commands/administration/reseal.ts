import { setTimeout as pause } from 'node:timers/promises';
import type { Service } from '../../authorization/service/service.ts';
import { StorageUnavailable } from '../../storage/engine/errors.ts';
import {
  noneSealed,
  type Records,
  type SealedCounts,
  type SealedKind,
  sealedKinds,
} from '../../storage/records/records.ts';
import { type CommandReport, Refusal } from './administer.ts';

/** Values in one transaction. The number is small, because the writes of a running service wait for it. */
const STEP = 100;

/** If the store is busy, a step is retried this often, after this many milliseconds. */
const MOST_TRIES = 30;
const REST = 100;

/** Meanwhile, another process may encrypt values with an old key. */
const MOST_PASSES = 3;

type Counts = Record<SealedKind, number>;

/** Encrypts everything again with the first encryption key. After an interruption, the next run continues. */
export async function resealKeys({ records, audit }: Pick<Service, 'records' | 'audit'>): Promise<CommandReport> {
  const counts: Counts = { ...noneSealed };
  let outcome = 'not finished';
  try {
    refuseRest(await resealAll(records, counts));
    outcome = 'nothing is left';
    return { json: { resealed: sum(counts), ...counts }, text: told(counts) };
  } catch (error) {
    if (error instanceof Refusal) outcome = 'some are left';
    throw error;
  } finally {
    // Values that cannot be opened stay as they are.
    const isNothing = sum(counts) === 0 && outcome === 'nothing is left';
    if (!isNothing) audit.record('keys_resealed', { detail: `by command: ${sum(counts)} values, ${outcome}` });
  }
}

/** The values that are not under the first key at the end, and those that no key opens. */
interface Rest {
  readonly counts: SealedCounts;
  readonly unopened: ReadonlySet<string>;
}

async function resealAll(records: Records, counts: Counts): Promise<Rest> {
  for (let pass = 1; ; pass++) {
    // Names of this pass only: a value of the last pass may be deleted by now.
    const unopened = new Set<string>();
    for (const kind of sealedKinds) await resealKind(records, kind, { counts, unopened });
    const rest = await records.countUnderOtherKeys();
    if (sum(rest) === unopened.size || pass === MOST_PASSES) return { counts: rest, unopened };
  }
}

interface Tally {
  readonly counts: Counts;
  readonly unopened: Set<string>;
}

async function resealKind(records: Records, kind: SealedKind, { counts, unopened }: Tally): Promise<void> {
  for (let after: Step['after']; ; ) {
    const step = await patiently(records, { kind, after });
    counts[kind] += step.count;
    for (const name of step.unopened) unopened.add(name);
    if (step.next === undefined) return;
    after = step.next;
  }
}

type Step = Omit<Parameters<Records['resealSome']>[0], 'limit'>;

async function patiently(records: Records, step: Step): ReturnType<Records['resealSome']> {
  for (let tries = 1; ; tries++) {
    try {
      return await records.resealSome({ ...step, limit: STEP });
    } catch (error) {
      if (!(error instanceof StorageUnavailable) || tries === MOST_TRIES) throw error;
      await pause(REST);
    }
  }
}

/** The next start needs every old key that still has values. */
function refuseRest({ counts, unopened }: Rest): void {
  if (unopened.size > 0)
    throw new Refusal(
      `no encryption key opens these sealed values: ${[...unopened].join(', ')}. In \`encryption_keys\`, add each key that sealed one of these values, after the first key. All other values are sealed with the first key.`,
    );
  if (sum(counts) > 0)
    throw new Refusal(
      `${inWords(counts)} were sealed with an old key in the meantime: a service still lists an old key first. Put the new key first in the file of each service, restart the services, and run this command again.`,
    );
}

function told(counts: SealedCounts): string {
  if (sum(counts) === 0) return 'Everything is already sealed with the first encryption key.\n';
  return `${inWords(counts)} are now sealed with the first encryption key, and no value is sealed with another key.
Remove the other keys from the file of each service and gateway, and restart the services.
Older backups still need the old key: keep the key with these backups, or make a new backup and delete the older ones.
`;
}

function inWords(counts: SealedCounts): string {
  const some = sealedKinds.filter((kind) => counts[kind] > 0);
  return some.map((kind) => `${counts[kind]} ${kind.replaceAll('_', ' ')}`).join(', ');
}

function sum(counts: SealedCounts): number {
  return Object.values(counts).reduce((all, each) => all + each, 0);
}
