import { OAuthError } from '../../oauth/errors.ts';

/** Each attempt met a rotation of its key. `whose`: of whom the key is. */
export function rotatedTooOften(whose: 'issuer' | 'user'): OAuthError {
  return new OAuthError('temporarily_unavailable', {
    detail: `the key of the ${whose} is rotated too often`,
    headers: { 'retry-after': '1' },
  });
}
