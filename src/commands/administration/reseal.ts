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

/** Values of one transaction: few, since what a service wants to write waits for it. */
const STEP = 100;

/** A step that finds the store busy is tried again so often, after so many milliseconds. */
const MOST_TRIES = 30;
const REST = 100;

/** Another process may have sealed under an old key meanwhile. */
const MOST_PASSES = 3;

type Counts = Record<SealedKind, number>;

/** Seals everything again under the first encryption key. After an interruption, the next run continues. */
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
    // sealed values stay sealed, whatever happens to the rest
    const isNothing = sum(counts) === 0 && outcome === 'nothing is left';
    if (!isNothing) audit.record('keys_resealed', { detail: `by command: ${sum(counts)} values, ${outcome}` });
  }
}

/** What lies under another key than the first one in the end, and of it what no key opens. */
interface Rest {
  readonly counts: SealedCounts;
  readonly unopened: ReadonlySet<string>;
}

async function resealAll(records: Records, counts: Counts): Promise<Rest> {
  for (let pass = 1; ; pass++) {
    // in this pass: an unopened value of the last one may have gone meanwhile
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

/** A removed old key with values under it would be missing at the next start. */
function refuseRest({ counts, unopened }: Rest): void {
  if (unopened.size > 0)
    throw new Refusal(
      `no encryption key opens ${[...unopened].join(', ')}: name the key under which it is sealed in \`encryption_keys\`, behind the first one. Everything else is sealed under the first one.`,
    );
  if (sum(counts) > 0)
    throw new Refusal(
      `${inWords(counts)} were sealed under an old key meanwhile: a service still has that key first. Put the new key first in the file of each service, restart it, and run this again.`,
    );
}

function told(counts: SealedCounts): string {
  if (sum(counts) === 0) return 'Everything was sealed under the first encryption key already.\n';
  return `${inWords(counts)} are sealed under the first encryption key now, and nothing is under another one.
Take the other keys out of the file of each service and gateway, and restart the services.
Backups from before still need the old key: keep it where they are, or make a new backup and delete them.
`;
}

function inWords(counts: SealedCounts): string {
  const some = sealedKinds.filter((kind) => counts[kind] > 0);
  return some.map((kind) => `${counts[kind]} ${kind.replaceAll('_', ' ')}`).join(', ');
}

function sum(counts: SealedCounts): number {
  return Object.values(counts).reduce((all, each) => all + each, 0);
}
