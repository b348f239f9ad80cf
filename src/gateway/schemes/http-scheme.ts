import type { SchemeVerification } from '../identity.ts';
import type { RequestHead } from '../request-head.ts';

/** Credentials of Basic or Digest as a request brings them. */
export interface Presented {
  /** Of the Authorization field. */
  readonly value: string;
  readonly head: RequestHead;
  /** The body, where `wantsEntity` asked for it. */
  readonly entity: Buffer | undefined;
}

/** Basic or Digest on one route. */
export interface HttpScheme {
  readonly name: 'basic' | 'digest';
  verify(presented: Presented): SchemeVerification | Promise<SchemeVerification>;
  /** For `WWW-Authenticate`, a line each. Stale: only the nonce is to be changed. */
  challenges(head: RequestHead, stale: boolean): readonly string[];
  /** The limit, in bytes, of a body that must be read whole to judge the credentials. */
  wantsEntity(head: RequestHead): number | undefined;
}
