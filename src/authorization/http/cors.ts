import type { KnowsOrigin } from './redirect-origins.ts';

type Fields = Readonly<Record<string, string>>;
type Judge = (origin: string | undefined) => Promise<Fields>;

/** The header fields that tell which other origins may read the answers of an endpoint (Fetch §3.2). */
export interface Cors {
  /** For a request without Origin. */
  readonly unasked: Fields;
  /** For the answer itself. */
  readonly answer: Judge;
  /** For the answer to OPTIONS. */
  readonly preflight: Judge;
}

/** Seconds for which a browser may cache the preflight answer. */
const KEPT = '600';

const allowOrigin = 'access-control-allow-origin';
const anybody: Fields = { [allowOrigin]: '*' };
const form = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'Authorization, Content-Type',
  'access-control-max-age': KEPT,
} as const;

/** For a public document. All origins get the same fields, so a cache needs only one copy. */
export const anyOrigin: Cors = {
  unasked: anybody,
  answer: async () => anybody,
  preflight: async () => ({
    ...anybody,
    'access-control-allow-methods': 'GET, HEAD',
    'access-control-allow-headers': '*',
    'access-control-max-age': KEPT,
  }),
};

/** For JSON without cookies: a page registers its client before the service knows the origin of the page. */
export const anyRegistering: Cors = {
  unasked: anybody,
  answer: async () => ({ ...anybody, 'access-control-expose-headers': 'Retry-After, WWW-Authenticate, X-Request-Id' }),
  preflight: async () => ({ ...anybody, ...form, 'access-control-allow-methods': 'GET, POST, PUT, DELETE' }),
};

/** For forms without cookies. */
export function fromOrigins(knows: KnowsOrigin): Cors {
  const expose = { 'access-control-expose-headers': 'Retry-After, WWW-Authenticate, X-Request-Id' };
  return { unasked: vary, answer: allowing(knows, expose), preflight: allowing(knows, form) };
}

/** For forms with the login cookie. The allowed origin depends on the client, so the endpoint adds it with `withCookies`. */
export function fromOriginsWithCookies(knows: KnowsOrigin): Cors {
  return { unasked: vary, answer: async () => vary, preflight: allowing(knows, { ...form, ...credentials }) };
}

export function withCookies(origin: string): Fields {
  return { [allowOrigin]: origin, ...credentials };
}

const vary = { vary: 'Origin' } as const;
const credentials = { 'access-control-allow-credentials': 'true' } as const;

function allowing(knows: KnowsOrigin, fields: Fields): Judge {
  return async (origin) => {
    if (origin === undefined || !(await knows(origin))) return vary;
    return { ...vary, [allowOrigin]: origin, ...fields };
  };
}
