import { OAuthError } from '../../oauth/errors.ts';

/** Each attempt met a rotation of its key. `whose`: the owner of the key. */
export function rotatedTooOften(whose: 'issuer' | 'user'): OAuthError {
  return new OAuthError('temporarily_unavailable', {
    detail: `the key of the ${whose} is rotated too often`,
    headers: { 'retry-after': '1' },
  });
}
