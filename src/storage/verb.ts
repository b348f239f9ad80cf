/**
 * What is asked of the store, told apart from who carries it out: a verb yields statements and receives their rows. One
 * text of each verb serves SQLite, which answers at once, and PostgreSQL, which is waited for; both run it in one
 * transaction. A verb may be run anew after a conflict, so it holds no state of its own and touches nothing else.
 */
export type Verb<Outcome> = Generator<Statement, Outcome, readonly Row[]>;

export interface Statement {
  /** Parameters are $1, $2, …; the dialect is what SQLite and PostgreSQL have in common. */
  readonly sql: string;
  readonly parameters: readonly Value[];
  /** Whoever asked looks at no row, and may be answered before the statement is carried out. */
  readonly silent?: true;
}

export type Value = string | number | Uint8Array | null;

export type Row = Readonly<Record<string, unknown>>;

export function* all(sql: string, ...parameters: readonly (Value | undefined)[]): Verb<readonly Row[]> {
  return yield { sql, parameters: parameters.map((value) => value ?? null) };
}

export function* first(sql: string, ...parameters: readonly (Value | undefined)[]): Verb<Row | undefined> {
  const rows = yield* all(sql, ...parameters);
  return rows[0];
}

/** Whether the statement, which ends with RETURNING, found anything to change. */
export function* changed(sql: string, ...parameters: readonly (Value | undefined)[]): Verb<boolean> {
  const rows = yield* all(sql, ...parameters);
  return rows.length > 0;
}

/** For a statement that has nothing to tell. */
export function* run(sql: string, ...parameters: readonly (Value | undefined)[]): Verb<void> {
  yield { sql, parameters: parameters.map((value) => value ?? null), silent: true };
}
