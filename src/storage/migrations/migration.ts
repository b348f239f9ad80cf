export interface Migration {
  readonly version: number;
  readonly name: string;
  /** Never changed once released: its checksum is kept in every database. */
  readonly sql: string;
  /** Runs afterwards, unchanged, on PostgreSQL only. */
  readonly postgres?: string;
}
