/**
 * The grammar of an HTTP/1.1 line, for reading and writing: parts of regular expressions over latin1. None of them
 * matches a bare CR or LF, or another control character.
 */

const TCHAR = "!#$%&'*+.^_`|~0-9A-Za-z-";
const VISIBLE = '\\x21-\\x7e\\x80-\\xff';
const TEXT = `\\t\\x20${VISIBLE}`;

/** RFC 9110 §5.6.2. */
export const TOKEN = `[${TCHAR}]+`;

/** RFC 9110 §5.5: a value with the whitespace around it. Also a reason phrase (RFC 9112 §4). */
export const VALUE = `[${TEXT}]*`;

/** RFC 9112 §5.1, without the line end: no whitespace before the colon. */
export const FIELD_LINE = `${TOKEN}:${VALUE}`;

/** RFC 9110 §5.6.4. */
export const QUOTED_STRING = `"(?:[\\t\\x20\\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[${TEXT}])*"`;

export const IS_TOKEN = new RegExp(`^${TOKEN}$`);

/** Matches what a value must not contain. */
export const NO_VALUE = new RegExp(`[^${TEXT}]`);

/** Matches what a request-target must not contain. Other code judges the target's form. */
export const NO_TARGET = new RegExp(`[^${VISIBLE}]`);

/** Matches what no line may contain: a bare CR or a bare LF. */
export const NO_LINE = /\r[^\n]|[^\r]\n/;

/** Matches what no header section may contain: an invalid byte, a bare CR or a bare LF. */
export const NO_SECTION = new RegExp(`[^\\r\\n${TEXT}]|${NO_LINE.source}`);

/** RFC 9110 §8.6. Fifteen digits are exact, after any number of zeros. */
export const IS_LENGTH = /^0*[0-9]{1,15}$/;
