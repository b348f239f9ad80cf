import type { Code } from '../message/codes.ts';
import type { ClientRequest, ClientResponse } from './client-message.ts';
import type { Handshake } from './tunnel.ts';

/** How a request reached the listener. */
export interface IncomingRequest {
  readonly request: ClientRequest;
  readonly response: ClientResponse;
  /** The request-target as received. */
  readonly target: string;
  /**
   * `continue`: the client waits for 100 before it sends the body (RFC 9110 §10.1.1). A code: a fault, whatever the
   * engine decides.
   */
  readonly notice?: 'continue' | Code | undefined;
  /** Only for a WebSocket. */
  readonly handshake?: Handshake | undefined;
}
