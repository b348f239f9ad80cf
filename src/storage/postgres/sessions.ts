import type { Writable } from 'node:stream';
import { type ClientBase, types as defaultTypes, Pool, type PoolClient, type PoolConfig, type QueryConfig } from 'pg';
import { answerWithin } from '../../base/answer-within.ts';
import { sha256 } from '../../base/secret.ts';
import { Lane, Semaphore } from '../../base/semaphore.ts';
import { StorageUnavailable } from '../engine/errors.ts';
import type { Row, Statement } from '../engine/verb.ts';

/** One connection, for one verb. Statements are sent at once, and answered in order. */
export interface PostgresSession {
  /** `milliseconds`: without an answer in this time, the connection is closed. */
  ask(statement: Statement, milliseconds: number): Promise<readonly Row[]>;
  /** Runs BEGIN, COMMIT or ROLLBACK, and returns the command tag of the server's answer. */
  control(command: string, milliseconds: number): Promise<string>;
}

export interface Sessions {
  /**
   * `remaining`: milliseconds left to wait for a free connection and for the server. `done(true)`: the connection must not be
   * reused.
   */
  take(remaining: () => number): Promise<{ readonly session: PostgresSession; done(broken: boolean): void }>;
  close(): Promise<void>;
}

/** The limit for one process. A server allows 100 connections by default, and more than a few for each core make it slower. */
const MOST_CONNECTIONS = 10;

/** Milliseconds. A caller waits for a connection as long as the verb may take. */
const waits = { connection: 2000, statement: 4000, lock: 2000, idleInTransaction: 10_000 } as const;

/**
 * Set on every connection, because the defaults of a server, a database or a role may differ. `synchronous_commit` is only
 * raised: with less than `on`, a crash loses revocations that were confirmed. `remote_apply` is more than `on`, so it stays.
 */
const setUp = `
  SET client_encoding = 'UTF8';
  SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED;
  SET statement_timeout = ${waits.statement};
  SET lock_timeout = ${waits.lock};
  SET idle_in_transaction_session_timeout = ${waits.idleInTransaction};
  SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') IN ('off', 'local', 'remote_write')`;

export function poolSessions(config: PoolConfig): Sessions {
  const pool = new Pool({
    ...config,
    max: MOST_CONNECTIONS,
    pipeline: true,
    connectionTimeoutMillis: waits.connection,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    types: { getTypeParser },
    onConnect: prepareConnection,
  });
  // The pool removes an idle connection that dies. The next caller learns of it.
  pool.on('error', () => {});
  const lane = new Lane();
  const slots = new Semaphore(MOST_CONNECTIONS, () => lane);
  const nameOf = statementNames();
  return {
    async take(remaining) {
      await slots.acquire(lane, remaining()).catch(noConnection);
      const client = await connect(pool, remaining(), () => slots.release());
      const done = (broken: boolean) => {
        client.release(broken);
        slots.release();
      };
      return { session: clientSession(client, nameOf), done };
    },
    close: () => pool.end(),
  };
}

/** A connection that opens too late for its caller is kept for the next one. */
async function connect(pool: Pool, milliseconds: number, leave: () => void): Promise<PoolClient> {
  const connected = pool.connect();
  try {
    return await answerWithin(connected, milliseconds);
  } catch (cause) {
    connected.then((client) => client.release(), ignore).finally(leave);
    return noConnection(cause);
  }
}

function ignore(): void {}

function noConnection(cause: unknown): never {
  const reason = cause instanceof Error ? cause.message : String(cause);
  throw new StorageUnavailable(`no connection to the store: ${reason}`, { cause });
}

/** An error between two statements reaches the next caller. Without a listener, it would end the process. */
async function prepareConnection(client: ClientBase): Promise<void> {
  client.on('error', () => {});
  await client.query(timed({ text: setUp, query_timeout: waits.connection }));
}

function clientSession(client: PoolClient, nameOf: (sql: string) => string): PostgresSession {
  const sendTogether = oneWriteATurn(client.connection.stream);
  return {
    async ask({ sql, parameters }, milliseconds) {
      sendTogether();
      const values = parameters.map(storable);
      const query = timed({ name: nameOf(sql), text: sql, values, query_timeout: milliseconds });
      return (await client.query<Record<string, unknown>>(query)).rows;
    },
    async control(text, milliseconds) {
      sendTogether();
      return (await client.query(timed({ text, query_timeout: milliseconds }))).command;
    },
  };
}

/** pg supports this field, but its types do not declare it. */
function timed(query: QueryConfig & { readonly query_timeout: number }): QueryConfig {
  return query;
}

/** Statements that are sent in one turn share a packet. */
function oneWriteATurn(stream: Writable): () => void {
  let isHeld = false;
  const release = () => {
    isHeld = false;
    stream.uncork();
  };
  return () => {
    if (isHeld) return;
    isHeld = true;
    stream.cork();
    process.nextTick(release);
  };
}

/** Names of prepared statements. The same text has the same name in every process, whatever the order. */
function statementNames(): (sql: string) => string {
  const names = new Map<string, string>();
  return (sql) => {
    const name = names.get(sql) ?? `gh_${sha256(sql).toString('base64url').slice(0, 16)}`;
    names.set(sql, name);
    return name;
  };
}

/**
 * No text in PostgreSQL contains a NUL. A NUL becomes the replacement character, as a lone surrogate does, and so equals no
 * stored text.
 */
export function storable<Parameter>(value: Parameter): Parameter | string {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value;
}

const INT8 = 20;

/** Times in seconds fit into a number. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === INT8 ? Number : defaultTypes.getTypeParser(oid, format as 'text');
}
