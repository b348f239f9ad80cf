import type { Judge } from '../judge.ts';

export type Claims = Readonly<Record<string, unknown>>;

const isText = (value: unknown) => typeof value === 'string' && value !== '';
const isFlag = (value: unknown) => typeof value === 'boolean';
const isUrl = (value: unknown) => typeof value === 'string' && URL.canParse(value);
const isObject = (value: unknown): value is Claims =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const addressParts = ['formatted', 'street_address', 'locality', 'region', 'postal_code', 'country'];

/** NumericDate in seconds: a time in milliseconds is thousands of years away. */
const isMoment = (value: unknown) => typeof value === 'number' && value > 0 && value < 100_000_000_000;

/** OpenID Connect Core §5.1. */
const forms: Readonly<Record<string, (value: unknown) => boolean>> = {
  sub: isText,
  name: isText,
  given_name: isText,
  family_name: isText,
  middle_name: isText,
  nickname: isText,
  preferred_username: isText,
  profile: isUrl,
  picture: isUrl,
  website: isUrl,
  email: (value) => typeof value === 'string' && /^[^@\s]+@[^@\s]+$/.test(value),
  email_verified: isFlag,
  gender: isText,
  birthdate: (value) => typeof value === 'string' && /^([0-9]{4}|[0-9]{4}-[0-9]{2}-[0-9]{2})$/.test(value),
  zoneinfo: isText,
  locale: isText,
  phone_number: isText,
  phone_number_verified: isFlag,
  address: (value) => isObject(value) && addressParts.every((part) => value[part] === undefined || isText(value[part])),
  updated_at: isMoment,
};

/** The claims of each scope (OpenID Connect Core §5.4). */
export const claimsOfScopes: Readonly<Record<string, readonly string[]>> = {
  openid: ['sub'],
  profile: [
    ...['name', 'given_name', 'family_name', 'middle_name', 'nickname', 'preferred_username', 'profile', 'picture'],
    ...['website', 'gender', 'birthdate', 'zoneinfo', 'locale', 'updated_at'],
  ],
  email: ['email', 'email_verified'],
  address: ['address'],
  phone: ['phone_number', 'phone_number_verified'],
  offline_access: [],
};

/** Every standard claim that is there has the form of the standard, and none is null. */
export function checkStandardClaims(judge: Judge, claims: Claims, where: string): void {
  for (const [name, value] of Object.entries(claims)) {
    judge.must(value !== null, `${where}: no claim is null`, name);
    judge.must(forms[name]?.(value) ?? true, `${where}: ${name} has the form of the standard`, value);
  }
}
