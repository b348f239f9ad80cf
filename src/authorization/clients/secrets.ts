import { randomBytes } from 'node:crypto';
import type { Records } from '../../storage/records/records.ts';

/** 32 bytes each, made once and kept sealed in the store, so that every process of the service has the same. */
export interface Secrets {
  /** Seals what a page carries from one request to the next. */
  readonly transactions: Uint8Array;
  /** Makes the name of a user for one client out of `sub` (the `openid` of the browserless exchange). */
  readonly pairwise: Uint8Array;
  /** Makes the digests by which a changed password of the file is known. */
  readonly filePasswords: Uint8Array;
  /** The password cost for an unknown name. */
  readonly decoys: Uint8Array;
  /** Shows that an account has logged in with this browser before. */
  readonly knownBrowsers: Uint8Array;
}

export async function loadSecrets(records: Records): Promise<Secrets> {
  const adopt = (name: string) => records.adoptSecret(name, randomBytes(32));
  return {
    transactions: await adopt('transactions'),
    pairwise: await adopt('pairwise'),
    filePasswords: await adopt('file passwords'),
    decoys: await adopt('decoys'),
    knownBrowsers: await adopt('known browsers'),
  };
}
