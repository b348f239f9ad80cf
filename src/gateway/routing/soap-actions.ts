import { readMediaType } from './media-type.ts';

/**
 * The content type of SOAP 1.2 (RFC 3902), and of SOAP with attachments (MTOM), which has the parameter on the outer
 * type.
 */
const TYPES: ReadonlySet<string> = new Set(['application/soap+xml', 'multipart/related']);

/** Each `action` of a media type, as its RFC reads it. Empty if the media type is malformed. */
export function actionsIn(type: string): readonly string[] {
  const read = readMediaType(type);
  if (read === undefined || !TYPES.has(read.essence)) return [];
  return read.parameters.filter(([name]) => name === 'action').map(([, value]) => value);
}

/**
 * Every action that a lenient reader may find: in quotes, as in `start-info`, with blanks around `=`, and by the names
 * of RFC 8187. If the RFC's reading differs in number or value, the gateway cannot know which one the upstream uses.
 */
export function actionsFoundIn(type: string): readonly string[] {
  if (!/^(?:application\/soap\+xml|multipart\/related)\b/i.test(type)) return [];
  return [...type.matchAll(SEARCHED)].map(([, quoted, token]) => quoted ?? token ?? '');
}

const SEARCHED = /[;,"]\s*action(?:\*\d*\*?)?\s*=\s*(?:"([^"]*)"|([^\s;"]+))?/gi;
