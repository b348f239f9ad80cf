import type { SchemeRow } from '../scheme.ts';
import { apiKeyChecks } from './rules.ts';
import { ApiKey, type ApiKeyConfig } from './schema.ts';

/** A key of a client, in a header or a query parameter of its own. No RFC describes it, and many an old API has it. */
export const apiKey = {
  name: 'api_key',
  schema: ApiKey,
  example: 'api_key: { in: header, name: X-API-Key, keys: FILE }',
  checks: apiKeyChecks,
  people: ({ keys }) => keys,
  places: ({ in: place, name }) => [{ in: place, name: place === 'header' ? name.toLowerCase() : name }],
} as const satisfies SchemeRow<ApiKeyConfig>;
