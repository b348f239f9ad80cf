import { readMediaType } from './media-type.ts';

/** Of SOAP 1.2 (RFC 3902), and of one with attachments (MTOM), which puts the parameter at the type of the whole. */
const TYPES: ReadonlySet<string> = new Set(['application/soap+xml', 'multipart/related']);

/** Each `action` of a media type, as its RFC reads it: none where it is malformed. */
export function actionsIn(type: string): readonly string[] {
  const read = readMediaType(type);
  if (read === undefined || !TYPES.has(read.essence)) return [];
  return read.parameters.filter(([name]) => name === 'action').map(([, value]) => value);
}

/**
 * Each that a reader finds who searches for it: within quotes, as in `start-info`, with blanks around `=`, and by the names
 * of RFC 8187. Where that is another number or value than its RFC reads, nobody knows what the upstream goes by.
 */
export function actionsFoundIn(type: string): readonly string[] {
  if (!/^(?:application\/soap\+xml|multipart\/related)\b/i.test(type)) return [];
  return [...type.matchAll(SEARCHED)].map(([, quoted, token]) => quoted ?? token ?? '');
}

const SEARCHED = /[;,"]\s*action(?:\*\d*\*?)?\s*=\s*(?:"([^"]*)"|([^\s;"]+))?/gi;
