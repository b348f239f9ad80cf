import type { SchemeRow } from '../scheme.ts';
import { apiKeyChecks } from './rules.ts';
import { ApiKey, type ApiKeyConfig } from './schema.ts';

/** A client's key in a separate header or query parameter. No RFC describes API keys, but many old APIs use them. */
export const apiKey = {
  name: 'api_key',
  schema: ApiKey,
  example: 'api_key: { in: header, name: X-API-Key, keys: FILE }',
  checks: apiKeyChecks,
  people: ({ keys }) => keys,
  places: ({ in: place, name }) => [{ in: place, name: place === 'header' ? name.toLowerCase() : name }],
} as const satisfies SchemeRow<ApiKeyConfig>;
