import { parseJsonObject } from '../../jwt/json.ts';
import { OAuthError } from '../../oauth/errors.ts';

/** The parameter `claims` of an authorization request (OpenID Connect Core §5.5). */
export interface ClaimsRequest {
  readonly id_token: readonly string[];
  readonly userinfo: readonly string[];
  /** The only user for whom the client accepts an answer. */
  readonly subject: string | undefined;
  /** The acceptable values of an essential `acr`; empty: any. Undefined: it is not essential. */
  readonly essentialAcr: readonly unknown[] | undefined;
}

type Wanted = Readonly<Record<string, unknown>>;

const nothing: Wanted = {};

/** `invalid_request` if the text is not a JSON object of the right form. */
export function readClaimsRequest(text: string | undefined): ClaimsRequest {
  const whole = text === undefined ? nothing : parseJsonObject(Buffer.from(text));
  if (whole === undefined) throw malformed();
  const [idToken, userinfo] = [memberOf(whole, 'id_token'), memberOf(whole, 'userinfo')];
  return {
    id_token: Object.keys(idToken),
    userinfo: Object.keys(userinfo),
    subject: subjectOf(idToken) ?? subjectOf(userinfo),
    essentialAcr: essentialAcr(detailsOf(idToken, 'acr')),
  };
}

function memberOf(whole: Wanted, name: string): Wanted {
  const member = Object.hasOwn(whole, name) ? whole[name] : undefined;
  if (member === undefined || member === null) return nothing;
  if (!isPlainObject(member)) throw malformed();
  for (const claim of Object.keys(member)) detailsOf(member, claim);
  return member;
}

function detailsOf(member: Wanted, claim: string): Wanted {
  const details = Object.hasOwn(member, claim) ? member[claim] : undefined;
  if (details === undefined || details === null) return nothing;
  if (!isPlainObject(details)) throw malformed();
  return details;
}

function isPlainObject(value: unknown): value is Wanted {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function subjectOf(member: Wanted): string | undefined {
  const { value } = detailsOf(member, 'sub');
  if (value === undefined || typeof value === 'string') return value;
  throw malformed();
}

function essentialAcr({ essential, value, values }: Wanted): readonly unknown[] | undefined {
  if (essential !== true) return undefined;
  if (value !== undefined) return [value];
  return Array.isArray(values) ? values : [];
}

function malformed(): OAuthError {
  return new OAuthError('invalid_request', { description: 'The claims parameter is malformed.' });
}
