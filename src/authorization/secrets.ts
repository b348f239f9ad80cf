import { randomBytes } from 'node:crypto';
import type { Records } from '../storage/records.ts';

/** 32 bytes each, made once and kept sealed in the store, so that every process of the service has the same. */
export interface Secrets {
  /** Seals what a page carries from one request to the next. */
  readonly transactions: Uint8Array;
  /** Makes the name of a user for one client out of `sub` (the `openid` of the browserless exchange). */
  readonly pairwise: Uint8Array;
}

export async function loadSecrets(records: Records): Promise<Secrets> {
  const adopt = (name: string) => records.adoptSecret(name, randomBytes(32));
  return { transactions: await adopt('transactions'), pairwise: await adopt('pairwise') };
}
