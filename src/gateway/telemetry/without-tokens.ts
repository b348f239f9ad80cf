import type { RequestHead } from '../message/request-head.ts';

/** Removes tokens from what clients send, so that it may be logged. It also limits the length. */

/** Matches every encoded form, also with repeated encoding. */
const ACCESS_TOKEN = [...'access_token'].map(inAnySpelling).join('');

/** A query, or what a client wrote in place of one. */
const NOT_TO_BE_TOLD = new RegExp(`[?#]|%(?:25)*(?:3f|23)|${ACCESS_TOKEN}`, 'i');

/** A JWT, or one of our API keys, in any position. */
const KEY_TEXT = '\\beyJ[\\w-]+\\.[\\w-]+(?:\\.[\\w-]*)*|\\bghk_[\\w-]+';
const KEY = new RegExp(KEY_TEXT, 'g');

/** The parameter of RFC 6750 §2.3, the credentials of §2.1, and the keys above. */
const TOKENS = new RegExp(`${ACCESS_TOKEN}(?:\\s*[=:]\\s*)?\\S*|\\bBearer\\s+\\S+|${KEY_TEXT}`, 'gi');

/** Characters. */
const LONGEST_AGENT = 512;
const LONGEST_REFERER = 1024;

/**
 * The part of a target that may be logged. A query, or what a client wrote in place of one, can contain a token. An
 * authority can contain a password.
 */
export function pathOf({ target }: Pick<RequestHead, 'target'>): string {
  return beforeQuery(target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, ''));
}

/** The client's User-Agent; undefined: none. */
export function userAgentOf(head: Pick<RequestHead, 'fields'>): string | undefined {
  return fieldOf(head, 'user-agent')?.slice(0, LONGEST_AGENT).replace(TOKENS, '[redacted]');
}

/**
 * The referring page, without its query, its fragment and a password before its host. Undefined: the request names
 * none.
 */
export function refererOf(head: Pick<RequestHead, 'fields'>): string | undefined {
  const text = fieldOf(head, 'referer')?.slice(0, LONGEST_REFERER);
  return text && beforeQuery(text.replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/?#]*@/i, '$1//'));
}

/** A text of a client without the tokens in it. */
export function withoutTokens(text: string): string {
  return text.replace(TOKENS, '[redacted]');
}

function beforeQuery(text: string): string {
  const end = text.search(NOT_TO_BE_TOLD);
  return (end === -1 ? text : text.slice(0, end)).replace(KEY, '[redacted]');
}

/** The first of several lines. Undefined: there is none, or it is empty. */
function fieldOf({ fields }: Pick<RequestHead, 'fields'>, name: string): string | undefined {
  for (let i = 0; i < fields.length; i += 2) if (fields[i] === name) return fields[i + 1] || undefined;
  return undefined;
}

/** A character unencoded, percent-encoded, or encoded repeatedly. */
function inAnySpelling(character: string): string {
  const codes = [character, character.toUpperCase()].map((each) => each.charCodeAt(0).toString(16));
  return `(?:${character}|%(?:25)*(?:${codes.join('|')}))`;
}
