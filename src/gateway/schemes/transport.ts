import { isLoopback } from '../../config/words/host.ts';
import type { RequestHead } from '../message/request-head.ts';

/**
 * Whether this request may carry a password: over TLS, here or at a trusted proxy, or without any network (RFC 7617
 * §4).
 */
export function isSecureEnough({ origin }: RequestHead): boolean {
  return origin.secure || isLoopback(origin.address);
}
