import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { StorageUnavailable } from '../../../src/storage/engine/errors.ts';
import type { Row, Statement, Verb } from '../../../src/storage/engine/verb.ts';
import { append, readFrom, type Transaction } from './log.ts';

const SQLITE_CONSTRAINT = 19;

/** Tables in memory with the contents of a log. One process may append to a log; any number may follow it. */
export class Tables {
  readonly #file: string;
  readonly #memory = new DatabaseSync(':memory:');
  /** Bytes of the log that the tables already contain. */
  #end = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Of statements that only read. */
  read<Outcome>(verb: Verb<Outcome>): Outcome {
    return this.#answer(() => this.#carryOut(verb, []));
  }

  /** One transaction: durably in the log, or nowhere. */
  write<Outcome>(verb: Verb<Outcome>): Outcome {
    return this.#answer(() => this.#together(() => this.#logged(verb)));
  }

  /** Any number of statements without parameters. */
  script(sql: string): void {
    this.#memory.exec(sql);
    this.#end += append(this.#file, [{ sql, parameters: [] }]);
  }

  close(): void {
    if (this.#memory.isOpen) this.#memory.close();
  }

  #answer<Outcome>(ask: () => Outcome): Outcome {
    if (!this.#memory.isOpen) throw new StorageUnavailable('the log is closed');
    try {
      this.#follow();
      return ask();
    } catch (error) {
      throw isDefect(error) ? error : new StorageUnavailable('the log cannot be used', { cause: error });
    }
  }

  #follow(): void {
    const { transactions, end } = readFrom(this.#file, this.#end);
    for (const transaction of transactions) this.#together(() => this.#replay(transaction));
    this.#end = end;
  }

  #replay(transaction: Transaction): void {
    for (const { sql, parameters } of transaction)
      if (parameters.length === 0) this.#memory.exec(sql);
      else this.#execute({ sql, parameters });
  }

  #logged<Outcome>(verb: Verb<Outcome>): Outcome {
    const statements: Statement[] = [];
    const outcome = this.#carryOut(verb, statements);
    const changes = statements.filter(({ sql }) => !/^\s*SELECT\b/i.test(sql));
    if (changes.length > 0) this.#end += append(this.#file, changes);
    return outcome;
  }

  #carryOut<Outcome>(verb: Verb<Outcome>, done: Statement[]): Outcome {
    let step = verb.next();
    while (step.done !== true) {
      done.push(step.value);
      step = verb.next(this.#execute(step.value));
    }
    return step.value;
  }

  #execute({ sql, parameters }: Statement): readonly Row[] {
    return this.#memory.prepare(sql.replace(/\$(\d+)/g, '?$1')).all(...(parameters as SQLInputValue[]));
  }

  #together<Outcome>(act: () => Outcome): Outcome {
    this.#memory.exec('BEGIN');
    try {
      const outcome = act();
      this.#memory.exec('COMMIT');
      return outcome;
    } catch (error) {
      this.#memory.exec('ROLLBACK');
      throw error;
    }
  }
}

/**
 * A broken constraint, and any error that neither tables nor files report, is a bug of the caller and is not converted.
 */
function isDefect(error: unknown): boolean {
  if (!(error instanceof Error)) return true;
  if ('errcode' in error) return (Number(error.errcode) & 0xff) === SQLITE_CONSTRAINT;
  return !('code' in error);
}
