import type { CredentialPlace } from '../../config/schemes/scheme.ts';
import type { SchemeVerification } from '../message/identity.ts';
import type { RequestHead } from '../message/request-head.ts';

/** Credentials of a scheme as a request brings them. */
export interface Presented {
  /** The value of the Authorization header, or of the scheme's own place. */
  readonly value: string;
  readonly head: RequestHead;
  /** The body, where `wantsEntity` asked for it. */
  readonly entity: Buffer | undefined;
}

/** A credential scheme on one route, other than bearer tokens. */
export interface HttpScheme {
  /** As in the table of schemes. */
  readonly name: string;
  /** Where its credentials may stand. Absent: in Authorization, after its name. */
  readonly places?: readonly CredentialPlace[] | undefined;
  verify(presented: Presented): SchemeVerification | Promise<SchemeVerification>;
  /** Lines for `WWW-Authenticate`. Stale: only the nonce must change. */
  challenges(head: RequestHead, stale: boolean): readonly string[];
  /** The limit, in bytes, of a body that must be read whole to judge the credentials. */
  wantsEntity(head: RequestHead): number | undefined;
}
