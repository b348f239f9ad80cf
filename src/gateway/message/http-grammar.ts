/**
 * What a line of HTTP/1.1 is made of, once for what is read and what is written: parts of regular expressions over
 * latin1. No bare CR or LF and no other control character is in any of them.
 */

const TCHAR = "!#$%&'*+.^_`|~0-9A-Za-z-";
const VISIBLE = '\\x21-\\x7e\\x80-\\xff';
const TEXT = `\\t\\x20${VISIBLE}`;

/** RFC 9110 §5.6.2. */
export const TOKEN = `[${TCHAR}]+`;

/** RFC 9110 §5.5: a value with the whitespace around it, or a reason phrase (RFC 9112 §4). */
export const VALUE = `[${TEXT}]*`;

/** RFC 9112 §5.1, without its end: no whitespace before the colon. */
export const FIELD_LINE = `${TOKEN}:${VALUE}`;

/** RFC 9110 §5.6.4. */
export const QUOTED_STRING = `"(?:[\\t\\x20\\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[${TEXT}])*"`;

export const IS_TOKEN = new RegExp(`^${TOKEN}$`);

/** Nothing of it may stand in a value. */
export const NO_VALUE = new RegExp(`[^${TEXT}]`);

/** Nothing of it may stand in a request-target, whose form is judged elsewhere. */
export const NO_TARGET = new RegExp(`[^${VISIBLE}]`);

/** What no line has in it, whatever it says: a bare CR, a bare LF. */
export const NO_LINE = /\r[^\n]|[^\r]\n/;

/** What no header section has in it anywhere: a byte that is none of it, a bare CR, a bare LF. */
export const NO_SECTION = new RegExp(`[^\\r\\n${TEXT}]|${NO_LINE.source}`);

/** RFC 9110 §8.6. Fifteen digits are counted exactly, behind any number of zeros. */
export const IS_LENGTH = /^0*[0-9]{1,15}$/;
