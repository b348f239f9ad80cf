import { sha256 } from '../../base/secret.ts';

/** `sid`: the same for all ID tokens of a session at one client. Two clients cannot compare their values. */
export function sidOf(sessionId: string, clientId: string): string {
  return sha256(`sid\n${sessionId}\n${clientId}`).toString('base64url').slice(0, 22);
}
