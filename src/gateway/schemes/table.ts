import type { SchemeName } from '../../config/schema/http-schemes.ts';
import { apiKey } from './api_key/index.ts';
import { basic } from './basic/index.ts';
import { digest } from './digest/index.ts';
import type { GatewayScheme } from './scheme.ts';

/** A row for each name of src/config/schemes/table.ts. */
export const schemes: { readonly [Name in SchemeName]: GatewayScheme } = { basic, api_key: apiKey, digest };
