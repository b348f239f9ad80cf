import type { CredentialPlace } from '../../config/schemes/scheme.ts';
import type { SchemeVerification } from '../message/identity.ts';
import type { RequestHead } from '../message/request-head.ts';

/** Credentials of a scheme, as a request sends them. */
export interface Presented {
  /** The value of the Authorization header, or of the scheme's own place. */
  readonly value: string;
  readonly head: RequestHead;
  /** The body, if `wantsEntity` asked for it. */
  readonly entity: Buffer | undefined;
}

/** A credential scheme on one route, except bearer tokens. */
export interface HttpScheme {
  /** Its name in the table of schemes. */
  readonly name: string;
  /** The places of its credentials. Undefined: in Authorization, after its name. */
  readonly places?: readonly CredentialPlace[] | undefined;
  verify(presented: Presented): SchemeVerification | Promise<SchemeVerification>;
  /** Lines for `WWW-Authenticate`. `stale`: only the nonce must change. */
  challenges(head: RequestHead, stale: boolean): readonly string[];
  /** The limit, in bytes, of a body that must be read completely to judge the credentials. */
  wantsEntity(head: RequestHead): number | undefined;
}
