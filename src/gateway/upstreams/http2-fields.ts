import type { OutgoingHttpHeaders } from 'node:http2';

/**
 * The header section of a request for HTTP/2 (RFC 9113 §8.3.1): Host becomes `:authority`. Lines with the same name are
 * joined (RFC 9110 §5.3), those of Cookie with a semicolon (RFC 9113 §8.2.3). `flat`: name, value, name, value, …
 */
export function http2Fields(method: string, path: string, flat: readonly string[]): OutgoingHttpHeaders {
  // A client may send a field named `constructor`.
  const fields: Record<string, string> = Object.assign(Object.create(null), { ':method': method, ':path': path });
  for (let index = 0; index < flat.length; index += 2) {
    const written = (flat[index] as string).toLowerCase();
    const name = written === 'host' ? ':authority' : written;
    const value = flat[index + 1] as string;
    const before = fields[name];
    fields[name] = before === undefined ? value : `${before}${name === 'cookie' ? '; ' : ', '}${value}`;
  }
  return fields;
}

/** Like undici's header section: names and values in turn, without pseudo-headers. */
export function rawFields(flat: readonly string[]): Buffer[] {
  const raw: Buffer[] = [];
  for (let index = 0; index < flat.length; index += 2) {
    const name = flat[index] as string;
    if (!name.startsWith(':')) raw.push(Buffer.from(name, 'latin1'), Buffer.from(flat[index + 1] as string, 'latin1'));
  }
  return raw;
}
