import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { Claims } from './checks/standard-claims.ts';
import { type Answer, jsonOf } from './provider/exchange.ts';
import type { Fault } from './provider/tls-terminator.ts';

type Changed = Readonly<Record<string, unknown>>;

/** Members that are undefined are left out. */
function withMembers(answer: Answer, changes: Changed): Answer {
  return { ...answer, body: JSON.stringify({ ...jsonOf(answer), ...changes }) };
}

/** Changes members of the JSON that a path answers. */
export function answersOf(path: string, changes: Changed): Fault {
  return { answer: (answer, target) => (pathOf(target) === path ? withMembers(answer, changes) : answer) };
}

/** Changes the whole answer of a path. */
export function atPath(path: string, change: (answer: Answer) => Answer): Fault {
  return { answer: (answer, target) => (pathOf(target) === path ? change(answer) : answer) };
}

function pathOf(target: string): string {
  return target.split('?', 1)[0] ?? '';
}

/** A provider that does not see a parameter, in the query. */
export function deafTo(name: string): Fault {
  return { target: (target) => changedQuery(target, (query) => query.delete(name)) };
}

function changedQuery(target: string, change: (query: URLSearchParams) => void): string {
  const [path = '', text] = target.split('?');
  const query = new URLSearchParams(text);
  change(query);
  return text === undefined ? target : `${path}?${query}`;
}

/** Adds a parameter to authorization requests without it. */
export function assuming(name: string, value: string): Fault {
  const add = (query: URLSearchParams) => void (query.has(name) || query.set(name, value));
  return { target: (target) => (pathOf(target) === '/oauth2/authorize' ? changedQuery(target, add) : target) };
}

/** Replaces a parameter of the query. */
export function hearing(name: string, value: string): Fault {
  return { target: (target) => changedQuery(target, (query) => query.has(name) && query.set(name, value)) };
}

/** Changes a parameter of the redirect to the client; undefined removes it. */
export function redirecting(name: string, value: string | undefined): Fault {
  return {
    answer: (answer) => {
      const { location } = answer.headers;
      if (location?.includes('/callback') !== true) return answer;
      const url = new URL(location);
      if (value === undefined) url.searchParams.delete(name);
      else url.searchParams.set(name, value);
      return { ...answer, headers: { ...answer.headers, location: url.href } };
    },
  };
}

const { publicKey, privateKey } = await generateKeyPair('RS256');
const published = { ...(await exportJWK(publicKey)), kid: 'other', alg: 'RS256', use: 'sig' };

/** The key set has only a key that signs nothing. */
export const foreignKeys: Fault = answersOf('/oauth2/jwks', { keys: [published] });

/** Changes claims of ID tokens. A key of this provider signs them again, so the signature is right. */
export function issuing(change: (claims: Claims) => Claims): Fault {
  return {
    async answer(answer, target) {
      if (pathOf(target) === '/oauth2/jwks') return { ...answer, body: JSON.stringify({ keys: [published] }) };
      const { id_token: token } = jsonOf(answer) ?? {};
      if (pathOf(target) !== '/oauth2/token' || typeof token !== 'string') return answer;
      return withMembers(answer, { id_token: await signed(change(claimsOf(token))) });
    },
  };
}

/** Changes claims of logout tokens in the same way. The service still signs ID tokens. */
export function notifying(change: (claims: Claims) => Claims): Fault {
  return {
    ...atPath('/oauth2/jwks', (answer) => withMembers(answer, { keys: [...keysIn(answer), published] })),
    async posted(form) {
      const token = new URLSearchParams(form).get('logout_token') ?? '';
      return new URLSearchParams({ logout_token: await signed(change(claimsOf(token)), 'logout+jwt') }).toString();
    },
  };
}

function keysIn(answer: Answer): readonly unknown[] {
  const keys = jsonOf(answer)?.keys;
  return Array.isArray(keys) ? keys : [];
}

function claimsOf(token: string): Claims {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

function signed(claims: Claims, typ = 'JWT'): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: published.kid, typ }).sign(privateKey);
}
