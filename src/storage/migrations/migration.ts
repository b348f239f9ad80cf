export interface Migration {
  readonly version: number;
  readonly name: string;
  /** Never changed once released: its checksum is kept in every database. */
  readonly sql: string;
  /** After it, on PostgreSQL alone and as it stands. */
  readonly postgres?: string;
}
