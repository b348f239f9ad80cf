import { withTables } from '../with-tables.ts';

const url = (path: string) => new URL(path, import.meta.url).href;

/** The toy is one folder, `signature/`, and one row in each of the two tables of credential schemes. */
withTables(
  new Map([
    [url('../../../src/config/schemes/table.ts'), url('./config-table.ts')],
    [url('../../../src/gateway/schemes/table.ts'), url('./gateway-table.ts')],
  ]),
);
