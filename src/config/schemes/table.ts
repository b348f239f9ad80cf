import { apiKey } from './api_key/index.ts';
import { basic } from './basic/index.ts';
import { digest } from './digest/index.ts';
import type { SchemeRow } from './scheme.ts';

/**
 * The credential schemes, except bearer tokens, from the weakest to the strongest. Challenges are in the opposite order. Each
 * name also has a row in src/gateway/schemes/table.ts.
 */
export const schemes = [basic, apiKey, digest] as const satisfies readonly SchemeRow[];
