import type { SchemeRow } from '../scheme.ts';
import { digestChecks } from './rules.ts';
import { Digest, type DigestConfig } from './schema.ts';

/** Digest (RFC 7616). */
export const digest = {
  name: 'digest',
  schema: Digest,
  example: 'digest: { realm: …, users: FILE }',
  checks: digestChecks,
  people: ({ users, scopes }) => [users, scopes],
  fields: ({ uri_from }) => uri_from,
} as const satisfies SchemeRow<DigestConfig>;
