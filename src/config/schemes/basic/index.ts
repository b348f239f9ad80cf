import type { SchemeRow } from '../scheme.ts';
import { basicChecks } from './rules.ts';
import { Basic, type BasicConfig } from './schema.ts';

/** Basic (RFC 7617). */
export const basic = {
  name: 'basic',
  schema: Basic,
  example: 'basic: { users: FILE }',
  checks: basicChecks,
  people: ({ users, scopes }) => [users, scopes],
} as const satisfies SchemeRow<BasicConfig>;
