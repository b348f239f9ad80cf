import type { RawFields } from '../message/raw-fields.ts';
import { fieldLines } from './field-lines.ts';

/** The upstream switched to a protocol that the client did not request (RFC 9110 §7.8). */
export class OtherProtocol extends Error {
  readonly code = 'OTHER_PROTOCOL';
}

/** Whether the header lines of a 101 switch to WebSocket. */
export function isWebSocket(raw: RawFields): boolean {
  const [protocol, ...others] = fieldLines(raw, 'upgrade');
  return others.length === 0 && protocol?.trim().toLowerCase() === 'websocket';
}
