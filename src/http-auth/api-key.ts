import { randomBytes } from 'node:crypto';
import { hmacSha256 } from '../base/hmac.ts';
import { checksum, checksumLength, sha256 } from '../base/secret.ts';
import { formatChallenge } from './challenge.ts';

/** The prefix of every key that Gatehouse makes. */
const PREFIX = 'ghk_';

// Prefix, 32 random bytes in base64url, six characters of CRC-32, like the opaque tokens of the authorization service.
const SHAPE = /^ghk_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}$/;

/** The start of the key, with `ghk_`: 48 of its 256 random bits. They identify a leaked key, but give no access. */
const ID_LENGTH = 12;

/** 256 random bits. */
export function makeApiKey(): string {
  const body = PREFIX + randomBytes(32).toString('base64url');
  return body + checksum(body);
}

/** The first characters of an API key. They identify the key in places that must not contain the whole key. */
export function idOfApiKey(key: string): string {
  return key.slice(0, ID_LENGTH);
}

/** Whether the text is a key that `makeApiKey` could have made. */
export function isOurApiKey(text: string): boolean {
  return SHAPE.test(text) && checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

/** Whether the text begins like an API key of `makeApiKey` but is not valid: it is truncated or mistyped. */
export function isBrokenApiKey(text: string): boolean {
  return text.startsWith(PREFIX) && !isOurApiKey(text);
}

/** The stored form of a random key: SHA-256, base64url. */
export function hashApiKey(octets: Uint8Array): string {
  return sha256(octets).toString('base64url');
}

/** The stored form of any other key: HMAC-SHA-256 with a separate secret, base64url. */
export function hmacApiKey(secret: Uint8Array, octets: Uint8Array): string {
  return hmacSha256(secret, octets).toString('base64url');
}

export interface ApiKeyChallenge {
  readonly realm: string;
  readonly in: 'header' | 'query';
  /** The name of the header or parameter. */
  readonly name: string;
}

/** No RFC defines this scheme. A parameter with the place's name says where the key must be. */
export function apiKeyChallenge({ realm, in: place, name }: ApiKeyChallenge): string {
  return formatChallenge({
    scheme: 'ApiKey',
    parameters: [
      ['realm', realm],
      [place, name],
    ],
  });
}
