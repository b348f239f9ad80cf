import { registerHooks } from 'node:module';

/**
 * Replaces tables of the product by files of a test tree: an import of the one gets the other. The test tree's own
 * table may import the one that it replaces. It affects only later imports, so a test imports the product dynamically.
 *
 * @param tables URL of the table in src → URL of its replacement
 */
export function withTables(tables: ReadonlyMap<string, string>): void {
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      const url = tables.get(found.url);
      return url === undefined || context.parentURL === url ? found : { ...found, url };
    },
  });
}
