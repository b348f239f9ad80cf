/** A request as people write it: `GET /orders/7` or `GET https://api.example.com/orders/7`. */
export interface RequestLine extends RequestTarget {
  readonly method: string;
}

export interface RequestTarget {
  /** The form of Host; undefined if the line has only a path. */
  readonly host: string | undefined;
  readonly secure: boolean | undefined;
  /** Not normalized: a dot segment must be checked, not resolved. */
  readonly target: string;
}

/** Undefined if the text is not a method and an address. */
export function parseRequestLine(text: string): RequestLine | undefined {
  const [, method, address] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) +(\S+)$/.exec(text.trim()) ?? [];
  const place = address === undefined ? undefined : parsePlace(address);
  return method === undefined || place === undefined ? undefined : { method, ...place };
}

export function parsePlace(address: string): RequestTarget | undefined {
  if (/^[/*]/.test(address)) return { host: undefined, secure: undefined, target: address };
  const [, scheme, host, rest = ''] = /^(https?):\/\/([^/?#]+)(.*)$/i.exec(address) ?? [];
  if (scheme === undefined) return undefined;
  return { host, secure: scheme.toLowerCase() === 'https', target: rest.startsWith('/') ? rest : `/${rest}` };
}
