import type { ClientResponse } from './client-message.ts';

const NOTHING = Buffer.alloc(0);

/**
 * Sends the head before there is any content. Node.js flushes it as UTF-8, which makes two bytes of each of obs-text
 * (RFC 9110 §5.5); before bytes it writes it as what it is. `isBodiless`: bytes would not go to this client.
 */
export function flushHead(response: ClientResponse, isBodiless: boolean): void {
  if (isBodiless) response.flushHeaders();
  else response.write(NOTHING);
}
