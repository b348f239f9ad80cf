import { randomBytes } from 'node:crypto';

/** Unique request ids: a random part for this process, and a count. Cheap, since every request has one. */
export function requestIds(): () => string {
  const process = randomBytes(9).toString('base64url');
  let count = 0;
  return () => `${process}-${(count++).toString(36)}`;
}
