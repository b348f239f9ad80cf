import type { Code } from '../codes.ts';
import type { RequestHead } from '../request-head.ts';

/** RFC 9112 §6.1, §6.3: what the parser lets pass and an upstream could read in another way. */
export function findFrameFault(head: RequestHead): Code | undefined {
  const { transferEncoding, contentLength } = head;
  if (transferEncoding === undefined && contentLength === undefined) return undefined;
  if (transferEncoding === undefined) return contentLength?.lines === 1 ? undefined : 'message_malformed';
  if (contentLength !== undefined || head.version === '1.0') return 'message_malformed';
  const chunked = transferEncoding.lines === 1 && transferEncoding.value.toLowerCase() === 'chunked';
  return chunked ? undefined : 'transfer_encoding_invalid';
}
