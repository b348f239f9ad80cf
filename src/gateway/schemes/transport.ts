import { isLoopback } from '../../config/words/host.ts';
import type { RequestHead } from '../message/request-head.ts';

/** Whether a password may travel with this request: TLS, here or at a trusted proxy, or no wire at all (RFC 7617 §4). */
export function isSecureEnough({ origin }: RequestHead): boolean {
  return origin.secure || isLoopback(origin.address);
}
