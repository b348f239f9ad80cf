export interface RequestText {
  readonly method?: string;
  readonly target?: string;
  readonly version?: string;
  readonly host?: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Buffer;
}

/** The bytes of a request, with a Host and, if it has a body, its Content-Length. */
export function requestText({
  method = 'GET',
  target = '/',
  version = 'HTTP/1.1',
  host = 'api.example.com',
  headers = [],
  body,
}: RequestText): Buffer {
  const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(body as string, 'latin1');
  const length: (readonly [string, string])[] = body === undefined ? [] : [['Content-Length', String(bytes.length)]];
  const lines = [['Host', host] as const, ...headers, ...length].map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`${method} ${target} ${version}\r\n${lines.join('')}\r\n`, 'latin1'), bytes]);
}

export function bearer(token: string): readonly [string, string] {
  return ['Authorization', `Bearer ${token}`];
}
