import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Engine } from './engine.ts';
import type { GroupCommit } from './group-commit.ts';
import { storageError } from './sqlite-errors.ts';
import type { Row, Statement, Verb } from './verb.ts';

/** Verbs on SQLite: writes go through the group commit, reads see what is committed. */
export function sqliteEngine(database: DatabaseSync, group: GroupCommit): Engine {
  const execute = executor(database);
  let closed = false;
  return {
    async read(verb) {
      try {
        return carryOut(verb(), execute);
      } catch (error) {
        throw storageError(error);
      }
    },
    write: (verb) => group.write(() => carryOut(verb(), execute)),
    writeOne: (verb) => group.writeOne(() => carryOutOne(verb(), execute)),
    async close() {
      if (closed) return;
      closed = true;
      await group.drain();
      database.close();
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
  if (end.done !== true) throw new TypeError('a verb that is run as one statement has a second one');
  return end.value;
}
