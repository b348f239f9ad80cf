export interface Migration {
  readonly version: number;
  readonly name: string;
  /** Never changes after a release, because every database stores its checksum. */
  readonly sql: string;
  /** Runs afterwards, unchanged, only on PostgreSQL. */
  readonly postgres?: string;
}
