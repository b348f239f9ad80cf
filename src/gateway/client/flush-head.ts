import type { ClientResponse } from './client-message.ts';

const NOTHING = Buffer.alloc(0);

/**
 * Sends the head before there is any content. Node.js flushes a head alone as UTF-8, which turns each byte of obs-text
 * into two (RFC 9110 §5.5). Before bytes, Node.js writes the head unchanged. `isBodiless`: this client must get no
 * bytes.
 */
export function flushHead(response: ClientResponse, isBodiless: boolean): void {
  if (isBodiless) response.flushHeaders();
  else response.write(NOTHING);
}
