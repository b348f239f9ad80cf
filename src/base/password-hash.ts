/**
 * The PHC string of an Argon2id hash: `$argon2id$v=19$m=19456,t=2,p=1$SALT$HASH`, with salt and hash in base64 without padding,
 * as in the reference implementation of RFC 9106. This file only parses and writes; it computes no hash.
 */
export interface PasswordHash extends PasswordCost {
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

/** RFC 9106 §3.1. */
export interface PasswordCost {
  /** KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly lanes: number;
}

/** For new hashes: the OWASP Password Storage Cheat Sheet's second choice, 19 MiB. */
export const currentCost: PasswordCost = { memory: 19_456, passes: 2, lanes: 1 };

export const SALT_LENGTH = 16;
export const HASH_LENGTH = 32;

/** Limits for a string's parameters, so that no string can take a machine's memory or seconds of its time. */
const limits = {
  memory: { least: 8, most: 262_144 },
  passes: { least: 1, most: 64 },
  lanes: { least: 1, most: 16 },
  salt: { least: 8, most: 64 },
  hash: { least: 16, most: 64 },
  /** KiB × passes: about a second on one core. */
  work: { least: 8, most: 1_048_576 },
} as const;

export type ParsedPasswordHash =
  | { readonly ok: true; readonly value: PasswordHash }
  | { readonly ok: false; readonly message: string };

const form =
  /^\$argon2id\$v=(0|[1-9]\d{0,9})\$m=([1-9]\d{0,9}),t=([1-9]\d{0,9}),p=([1-9]\d{0,9})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/**
 * Parses a PHC string strictly: one spelling for each value, only version 19, within the limits. The message never quotes the
 * string.
 */
export function parsePasswordHash(text: string): ParsedPasswordHash {
  const [, version, memory, passes, lanes, salt = '', hash = ''] = form.exec(text) ?? [];
  if (version === undefined) return { ok: false, message: otherForm(text) };
  if (version !== '19')
    return { ok: false, message: `version ${version} of Argon2 is not supported; only version 19 is` };
  const value = {
    memory: Number(memory),
    passes: Number(passes),
    lanes: Number(lanes),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
  if (toBase64(value.salt) !== salt || toBase64(value.hash) !== hash)
    return { ok: false, message: 'the salt or the hash is not valid base64' };
  const message = limitFault(value);
  return message === undefined ? { ok: true, value } : { ok: false, message };
}

function otherForm(text: string): string {
  const [, name] = /^\$([a-z0-9-]{1,32})\$/.exec(text) ?? [];
  if (name === undefined || name === 'argon2id') return 'this is not an Argon2id hash';
  return `\`${name}\` hashes are not supported; only argon2id is`;
}

function limitFault(value: PasswordHash): string | undefined {
  const { memory, passes, lanes, salt, hash } = value;
  const measured = { memory, passes, lanes, salt: salt.length, hash: hash.length, work: memory * passes };
  for (const [name, { least, most }] of Object.entries(limits)) {
    const size = measured[name as keyof typeof limits];
    if (size < least || size > most)
      return `${words[name as keyof typeof limits]} is ${size}; it must be from ${least} to ${most}`;
  }
  return memory < 8 * lanes ? 'the memory is less than 8 KiB per lane (RFC 9106 §3.1)' : undefined;
}

const words: Readonly<Record<keyof typeof limits, string>> = {
  memory: 'the memory in KiB (m)',
  passes: 'the number of passes (t)',
  lanes: 'the number of lanes (p)',
  salt: 'the length of the salt in bytes',
  hash: 'the length of the hash in bytes',
  work: 'memory times passes (m·t)',
};

export function formatPasswordHash({ memory, passes, lanes, salt, hash }: PasswordHash): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${lanes}$${toBase64(salt)}$${toBase64(hash)}`;
}

/** True if a hash is weaker than a new one. The next successful login replaces it. */
export function needsRehash({ memory, passes, salt, hash }: PasswordHash, cost: PasswordCost = currentCost): boolean {
  return memory * passes < cost.memory * cost.passes || salt.length < SALT_LENGTH || hash.length < HASH_LENGTH;
}

/** True if the work is below every choice of the OWASP Password Storage Cheat Sheet. Its weakest choice is m=7168, t=5. */
export function isQuicklyGuessed({ memory, passes }: PasswordCost): boolean {
  return memory * passes < 7168 * 5;
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(/=+$/, '');
}
