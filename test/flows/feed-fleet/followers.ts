import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { until } from '../../support/until.ts';

/** Followers that one process opens. */
export interface Wanted {
  /** Addresses of the feed. A follower that loses its connection continues at the next one. */
  readonly urls: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly count: number;
  /** The number of the first follower; it also says at which address each begins. */
  readonly from: number;
  /** The event after which they begin; 0: the first. */
  readonly cursor: number;
  /** They read nothing after the head of the answer, and do not come back. */
  readonly isDeaf?: boolean;
}

export interface State {
  readonly followers: number;
  /** Followers to which the feed said that they have everything. */
  readonly inStep: number;
  readonly events: number;
  /** The events that every follower has. */
  readonly least: number;
  readonly connects: number;
  readonly drops: number;
  readonly resets: number;
  /** Answers other than 200. */
  readonly refused: number;
  /** Events that were missing, repeated or in another order. */
  readonly faults: readonly string[];
}

/** In the order of the feed. */
export interface Heard {
  readonly ids: readonly number[];
  readonly keys: readonly string[];
  /** When the last follower got each, by `performance.now` of this process. */
  readonly lastAt: readonly number[];
}

export type Asked = { ask: 'follow'; wanted: Wanted } | { ask: 'state' } | { ask: 'heard' };

const program = fileURLToPath(new URL('program.ts', import.meta.url));

const BEGIN = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** Followers in processes of their own. */
export interface Followers {
  /** Opens this many, shared by all processes and addresses. */
  follow(wanted: Omit<Wanted, 'from'>): Promise<void>;
  states(): Promise<readonly State[]>;
  /** Of each process. */
  heard(): Promise<readonly Heard[]>;
  /** Resolves to true once each follower has this many events. */
  have(events: number): Promise<boolean>;
  /** Resolves to true once the feed told each follower that it has everything. */
  areInStep(): Promise<boolean>;
}

export async function startFollowers(t: Test, processes: number): Promise<Followers> {
  const children = await Promise.all(Array.from({ length: processes }, () => start(t)));
  let count = 0;
  const states = () => Promise.all(children.map((child) => child<State>({ ask: 'state' })));
  const all = (holds: (state: State) => boolean) => until(async () => (await states()).every(holds));
  return {
    states,
    async follow(wanted) {
      const begun = count;
      const share = (index: number) => Math.floor((index * wanted.count) / processes);
      count += wanted.count;
      await Promise.all(
        children.map((child, index) => {
          const [from, to] = [share(index), share(index + 1)];
          return child({ ask: 'follow', wanted: { ...wanted, count: to - from, from: begun + from } });
        }),
      );
    },
    async heard() {
      const told = await Promise.all(children.map((child) => child<Heard>({ ask: 'heard' })));
      return told.map((each) => ({ ...each, lastAt: each.lastAt.map((at) => at - BEGIN) }));
    },
    have: (events) => all(({ least }) => least >= events),
    areInStep: () => all(({ inStep, followers }) => inStep === followers),
  };
}

type Child = <Answer>(asked: Asked) => Promise<Answer>;

async function start(t: Test): Promise<Child> {
  // The test runner adds what it uses to measure its own processes.
  const { NODE_OPTIONS: _, ...env } = process.env;
  const child = fork(program, { env, execArgv: [] });
  t.teardown(() => end(child));
  await once(child, 'message');
  let before: Promise<unknown> = Promise.resolve();
  return <Answer>(asked: Asked) => {
    const answer = before.then(async () => {
      child.send(asked);
      const [said] = await once(child, 'message');
      return said as Answer;
    });
    before = answer;
    return answer;
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
