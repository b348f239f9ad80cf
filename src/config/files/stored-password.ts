import { type PasswordHash, parsePasswordHash } from '../../base/password-hash.ts';

/** A parsed password hash of a user file. Parsing computes no hash. */
export type StoredPassword =
  | { readonly kind: 'argon2id'; readonly phc: string; readonly cost: PasswordHash }
  | { readonly kind: 'bcrypt'; readonly text: string; readonly rounds: number }
  | { readonly kind: 'apr1'; readonly salt: string; readonly digest: string }
  | { readonly kind: 'sha1'; readonly salt: Uint8Array; readonly digest: Uint8Array };

export type ParsedStoredPassword =
  | { readonly ok: true; readonly value: StoredPassword }
  | { readonly ok: false; readonly message: string };

/** 2^14 rounds take seconds of one core. More rounds would be an outage for all other users. */
const MOST_ROUNDS = 14;
const SHA1_LENGTH = 20;

const forms: readonly { readonly begins: RegExp; parse(text: string): ParsedStoredPassword }[] = [
  { begins: /^\$argon2/, parse: parseArgon2 },
  { begins: /^\$2[aby]\$/, parse: parseBcrypt },
  { begins: /^\$apr1\$/, parse: parseApr1 },
  { begins: /^\{S?SHA\}/, parse: parseSha1 },
];

/** Parses the hash in a line of htpasswd. The message never quotes the hash. */
export function parseStoredPassword(text: string): ParsedStoredPassword {
  const form = forms.find(({ begins }) => begins.test(text));
  if (form !== undefined) return form.parse(text);
  const other = others.find(({ begins }) => begins.test(text))?.name ?? 'plain text or an unknown scheme';
  return fault(`this is ${other}; only bcrypt, Argon2id, apr1, {SHA} and {SSHA} are accepted`);
}

/** Formats of other servers, for the error message. */
const others: readonly { readonly begins: RegExp; readonly name: string }[] = [
  { begins: /^\$1\$/, name: 'MD5-crypt' },
  { begins: /^\$5\$/, name: 'SHA-256-crypt' },
  { begins: /^\$6\$/, name: 'SHA-512-crypt' },
  { begins: /^\$(?:y|gy|7)\$/, name: 'yescrypt or scrypt' },
  { begins: /^\{CRYPT\}/i, name: 'crypt(3)' },
  { begins: /^\{/, name: 'an unknown scheme of RFC 2307' },
  { begins: /^[./0-9A-Za-z]{13}$/, name: 'crypt(3), or plain text' },
];

function parseArgon2(phc: string): ParsedStoredPassword {
  const parsed = parsePasswordHash(phc);
  return parsed.ok ? { ok: true, value: { kind: 'argon2id', phc, cost: parsed.value } } : fault(parsed.message);
}

function parseBcrypt(text: string): ParsedStoredPassword {
  const [, cost] = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(text) ?? [];
  const rounds = Number(cost);
  if (cost === undefined) return fault('this is not a complete bcrypt hash');
  if (rounds < 4 || rounds > MOST_ROUNDS)
    return fault(`the cost of bcrypt is ${rounds}; it must be from 4 to ${MOST_ROUNDS}`);
  return { ok: true, value: { kind: 'bcrypt', text, rounds } };
}

function parseApr1(text: string): ParsedStoredPassword {
  const [, salt, digest] = /^\$apr1\$([^$]{1,8})\$([./A-Za-z0-9]{22})$/.exec(text) ?? [];
  if (salt === undefined || digest === undefined) return fault('this is not a complete apr1 hash');
  return { ok: true, value: { kind: 'apr1', salt, digest } };
}

/** RFC 2307: SHA-1 of password and salt, then the salt. */
function parseSha1(text: string): ParsedStoredPassword {
  const [, salted, encoded = ''] = /^\{(S?)SHA\}([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const octets = Buffer.from(encoded, 'base64');
  const salt = octets.subarray(SHA1_LENGTH);
  if (octets.length < SHA1_LENGTH || salt.length > 0 !== (salted === 'S'))
    return fault('this is not a complete SHA-1 hash');
  return { ok: true, value: { kind: 'sha1', salt, digest: octets.subarray(0, SHA1_LENGTH) } };
}

function fault(message: string): ParsedStoredPassword {
  return { ok: false, message };
}
