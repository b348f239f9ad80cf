import { tryFormDecode } from '../../oauth/parameters.ts';

export interface ClientCredentials {
  readonly id: string;
  /** Undefined where the client only names itself. */
  readonly secret: string | undefined;
}

const basic = /^basic +([A-Za-z0-9+/]+={0,2})$/i;

/**
 * What an Authorization field can mean: RFC 6749 §2.3.1 form-encodes identifier and secret before Basic joins them,
 * which many clients leave out; so the decoded reading comes first and the raw one after it. Empty where it is not Basic.
 */
export function readBasic(authorization: string): readonly ClientCredentials[] {
  const encoded = basic.exec(authorization)?.[1];
  const text = encoded === undefined ? undefined : decodeBase64(encoded);
  const colon = text?.indexOf(':') ?? -1;
  if (text === undefined || colon === -1) return [];
  const raw = { id: text.slice(0, colon), secret: text.slice(colon + 1) };
  const decoded = { id: tryFormDecode(raw.id), secret: tryFormDecode(raw.secret) };
  const readings =
    decoded.id === undefined || decoded.secret === undefined
      ? [raw]
      : [{ id: decoded.id, secret: decoded.secret }, raw];
  return readings.filter(({ id, secret }) => id !== '' && secret !== '');
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeBase64(text: string): string | undefined {
  try {
    return utf8.decode(Buffer.from(text, 'base64'));
  } catch {
    return undefined;
  }
}
