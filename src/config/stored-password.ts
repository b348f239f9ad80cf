import { type PasswordHash, parsePasswordHash } from '../base/password-hash.ts';

/** A password as a user file keeps it. What is needed to judge one is taken apart here; nothing is computed. */
export type StoredPassword =
  | { readonly kind: 'argon2id'; readonly phc: string; readonly cost: PasswordHash }
  | { readonly kind: 'apr1'; readonly salt: string; readonly digest: string }
  | { readonly kind: 'sha1'; readonly salt: Uint8Array; readonly digest: Uint8Array };

export type ParsedStoredPassword =
  | { readonly ok: true; readonly value: StoredPassword }
  | { readonly ok: false; readonly message: string };

const SHA1_LENGTH = 20;

const forms: readonly { readonly begins: RegExp; parse(text: string): ParsedStoredPassword }[] = [
  { begins: /^\$argon2/, parse: parseArgon2 },
  { begins: /^\$apr1\$/, parse: parseApr1 },
  { begins: /^\{S?SHA\}/, parse: parseSha1 },
];

/** Reads what stands after the name in a line of htpasswd. The message never quotes it. */
export function parseStoredPassword(text: string): ParsedStoredPassword {
  const form = forms.find(({ begins }) => begins.test(text));
  return form?.parse(text) ?? fault('neither bcrypt, Argon2id, apr1 nor {SSHA}; crypt and plain text are not taken');
}

function parseArgon2(phc: string): ParsedStoredPassword {
  const parsed = parsePasswordHash(phc);
  return parsed.ok ? { ok: true, value: { kind: 'argon2id', phc, cost: parsed.value } } : fault(parsed.message);
}

function parseApr1(text: string): ParsedStoredPassword {
  const [, salt, digest] = /^\$apr1\$([^$]{1,8})\$([./A-Za-z0-9]{22})$/.exec(text) ?? [];
  if (salt === undefined || digest === undefined) return fault('this is not a whole apr1 hash');
  return { ok: true, value: { kind: 'apr1', salt, digest } };
}

/** RFC 2307: SHA-1 of password and salt, then the salt. */
function parseSha1(text: string): ParsedStoredPassword {
  const [, salted, encoded = ''] = /^\{(S?)SHA\}([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const octets = Buffer.from(encoded, 'base64');
  const salt = octets.subarray(SHA1_LENGTH);
  if (octets.length < SHA1_LENGTH || salt.length > 0 !== (salted === 'S'))
    return fault('this is not a whole SHA-1 hash');
  return { ok: true, value: { kind: 'sha1', salt, digest: octets.subarray(0, SHA1_LENGTH) } };
}

function fault(message: string): ParsedStoredPassword {
  return { ok: false, message };
}
