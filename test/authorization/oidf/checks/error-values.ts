import type { Judge } from '../judge.ts';
import type { Claims } from './standard-claims.ts';

/** RFC 6749 §4.1.2.1, §5.2: the characters of `error` and `error_description`. */
const printable = /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/;

/** The members that every OAuth error has. */
export function checkErrorValues(judge: Judge, { error, error_description: words, error_uri: uri }: Claims): void {
  judge.must(typeof error === 'string' && printable.test(error), 'error has only characters of RFC 6749', error);
  const isReadable = words === undefined || (typeof words === 'string' && printable.test(words));
  judge.must(isReadable, 'error_description has only characters of RFC 6749', words);
  judge.must(uri === undefined || URL.canParse(String(uri)), 'error_uri is a URI', uri);
}
