import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { ReadEngine, WritableEngine } from '../engine/engine.ts';
import type { Row, Statement, Verb } from '../engine/verb.ts';
import { pollEvents, type WatchEvents } from '../engine/watch.ts';
import { storageError } from './errors.ts';
import type { GroupCommit } from './group-commit.ts';

/** Runs verbs on SQLite. Writes use the group commit, and reads see committed data. */
export function sqliteEngine(
  database: DatabaseSync,
  group: GroupCommit,
  watchEvents: WatchEvents = pollEvents(1_000),
): WritableEngine {
  const execute = executor(database);
  const reader = readerOf(database, execute);
  return {
    read: reader.read,
    write: (verb) => group.write(() => carryOut(verb(), execute)),
    writeOne: (verb) => group.writeOne(() => carryOutOne(verb(), execute)),
    watchEvents,
    async close() {
      await group.drain();
      await reader.close();
    },
  };
}

/** For a database that is opened read-only. */
export function sqliteReader(database: DatabaseSync): ReadEngine {
  return readerOf(database, executor(database));
}

function readerOf(database: DatabaseSync, execute: Execute): ReadEngine {
  return {
    async read(verb) {
      try {
        return carryOut(verb(), execute);
      } catch (error) {
        throw storageError(error);
      }
    },
    async close() {
      if (database.isOpen) database.close();
    },
  };
}

type Execute = (statement: Statement) => readonly Row[];

function executor(database: DatabaseSync): Execute {
  const prepared = new Map<string, StatementSync>();
  const prepare = (sql: string) => {
    const statement = database.prepare(sql.replace(/\$(\d+)/g, '?$1'));
    prepared.set(sql, statement);
    return statement;
  };
  return ({ sql, parameters }) => (prepared.get(sql) ?? prepare(sql)).all(...(parameters as SQLInputValue[]));
}

function carryOut<Outcome>(verb: Verb<Outcome>, execute: Execute): Outcome {
  let step = verb.next();
  while (step.done !== true) step = verb.next(execute(step.value));
  return step.value;
}

function carryOutOne<Outcome>(verb: Verb<Outcome>, execute: Execute): Outcome {
  const step = verb.next();
  if (step.done === true) return step.value;
  const end = verb.next(execute(step.value));
  if (end.done !== true) throw new TypeError('a verb for one statement has a second statement');
  return end.value;
}
