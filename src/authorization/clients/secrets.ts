import { randomBytes } from 'node:crypto';
import type { Records } from '../../storage/records/records.ts';

/** 32 bytes each. They are made once and sealed in the store, so that all processes of the service have the same secrets. */
export interface Secrets {
  /** Seals the state that a page passes to the next request. */
  readonly transactions: Uint8Array;
  /** Derives the user's name for one client from `sub` (the `openid` of the browserless exchange). */
  readonly pairwise: Uint8Array;
  /** Makes the digests that reveal a changed password in the file. */
  readonly filePasswords: Uint8Array;
  /** Chooses the password cost for an unknown name. */
  readonly decoys: Uint8Array;
  /** Proves that an account has logged in with this browser before. */
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
