import type { RawFields } from '../message/raw-fields.ts';
import { fieldLines } from './field-lines.ts';

/** The upstream went over to what the client did not ask for (RFC 9110 §7.8). */
export class OtherProtocol extends Error {
  readonly code = 'OTHER_PROTOCOL';
}

/** Whether the header lines of a 101 say so. */
export function isWebSocket(raw: RawFields): boolean {
  const [protocol, ...others] = fieldLines(raw, 'upgrade');
  return others.length === 0 && protocol?.trim().toLowerCase() === 'websocket';
}
