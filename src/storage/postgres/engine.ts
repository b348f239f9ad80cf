import type { Clock } from '../../base/clock.ts';
import type { WritableEngine } from '../engine/engine.ts';
import { StorageUnavailable } from '../engine/errors.ts';
import type { Row, Statement, Verb } from '../engine/verb.ts';
import { pollEvents, type WatchEvents } from '../engine/watch.ts';
import { remedyFor, storageError } from './errors.ts';
import type { PostgresSession, Sessions } from './sessions.ts';

/** Milliseconds for a whole verb, from the request for a connection to the answer of COMMIT. */
const TIME_LIMIT = 4000;

/** Attempts. Each connection of the pool may have outdated state, and each shows this once. */
const mostTries = { again: 4, elsewhere: 12 } as const;

/** Runs verbs on PostgreSQL at READ COMMITTED: each statement sees what was committed before it began. */
export function postgresEngine(
  sessions: Sessions,
  clock: Clock,
  watchEvents: WatchEvents = pollEvents(1_000),
): WritableEngine {
  const underWay = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;

  async function carryOut<Outcome>(way: Way, verb: () => Verb<Outcome>): Promise<Outcome> {
    if (closing !== undefined) throw new StorageUnavailable('the store is closed');
    const work = tryRepeatedly(sessions, clock, (channel) => way(channel, verb()));
    underWay.add(work);
    try {
      return await work;
    } finally {
      underWay.delete(work);
    }
  }

  async function close(): Promise<void> {
    await Promise.allSettled(underWay);
    await sessions.close();
  }

  return {
    read: (verb) => carryOut(inStatements, verb),
    write: (verb) => carryOut(inTransaction, verb),
    writeOne: (verb) => carryOut(inOneStatement, verb),
    watchEvents,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** A session with the deadline of one attempt. It separates failures of statements from failures of the verb. */
interface Channel {
  ask(statement: Statement): Promise<readonly Row[]>;
  control(command: string): Promise<string>;
}

class StatementFailed extends Error {}

type Way = <Outcome>(channel: Channel, verb: Verb<Outcome>) => Promise<Outcome>;

/** Runs again after a conflict. Too many conflicts, or an unknown result, are an outage. */
async function tryRepeatedly<Outcome>(
  sessions: Sessions,
  clock: Clock,
  work: (channel: Channel) => Promise<Outcome>,
): Promise<Outcome> {
  const end = clock.monotonic() + TIME_LIMIT;
  for (let tries = 1; ; tries++) {
    try {
      return await withSession(sessions, () => Math.max(1, end - clock.monotonic()), work);
    } catch (error) {
      if (!(error instanceof StatementFailed)) throw error;
      const remedy = remedyFor(error.cause);
      if (remedy === undefined || tries >= mostTries[remedy] || clock.monotonic() > end)
        throw storageError(error.cause);
    }
  }
}

async function withSession<Outcome>(
  sessions: Sessions,
  remaining: () => number,
  work: (channel: Channel) => Promise<Outcome>,
): Promise<Outcome> {
  const { session, done } = await sessions.take(remaining);
  const channel = channelOf(session, remaining);
  let broken = true;
  try {
    const outcome = await work(channel);
    broken = false;
    return outcome;
  } catch (error) {
    broken = !(await isUsable(channel, error));
    throw error;
  } finally {
    done(broken);
  }
}

function channelOf(session: PostgresSession, remaining: () => number): Channel {
  return {
    ask: (statement) => session.ask(statement, remaining()).catch(failed),
    control: (command) => session.control(command, remaining()).catch(failed),
  };
}

function failed(cause: unknown): never {
  throw new StatementFailed('a statement failed', { cause });
}

/** True if the connection can be reused: the transaction is rolled back, or there was none. */
async function isUsable(channel: Channel, error: unknown): Promise<boolean> {
  if (error instanceof StatementFailed && remedyFor(error.cause) === 'elsewhere') return false;
  try {
    return (await channel.control('ROLLBACK')) === 'ROLLBACK';
  } catch {
    return false;
  }
}

const inStatements: Way = async (channel, verb) => {
  let step = verb.next();
  while (step.done !== true) step = verb.next(await channel.ask(step.value));
  return step.value;
};

/** The statement is its own transaction. After one round trip it is durable. */
const inOneStatement: Way = async (channel, verb) => {
  const step = verb.next();
  if (step.done === true) return step.value;
  const end = verb.next(await channel.ask(step.value));
  if (end.done !== true) throw new TypeError('a verb for one statement has a second statement');
  return end.value;
};

/**
 * BEGIN is sent with the first statement. Unawaited statements are sent with the next one, up to COMMIT. So a verb takes one
 * round trip for each statement whose rows it reads, and at most one more.
 */
const inTransaction: Way = async (channel, verb) => {
  const sent: Promise<unknown>[] = [];
  const send = <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    // It is awaited below. Until then, a failure must not count as an unhandled rejection.
    answer.catch(() => {});
    sent.push(answer);
    return answer;
  };
  try {
    send(channel.control('BEGIN'));
    const outcome = await proceed(verb, (statement) => send(channel.ask(statement)));
    const ending = send(channel.control('COMMIT'));
    await firstFailure(sent);
    if ((await ending) !== 'COMMIT') throw new StorageUnavailable('the store did not commit');
    return outcome;
  } catch (error) {
    await firstFailure(sent);
    throw error;
  }
};

async function proceed<Outcome>(
  verb: Verb<Outcome>,
  send: (statement: Statement) => Promise<readonly Row[]>,
): Promise<Outcome> {
  let step = verb.next();
  while (step.done !== true) {
    const answer = send(step.value);
    step = verb.next(step.value.silent === true ? [] : await answer);
  }
  return step.value;
}

/** The first failure of several statements is the cause: the others fail because of it. */
async function firstFailure(sent: readonly Promise<unknown>[]): Promise<void> {
  for (const answer of sent) await answer;
}
