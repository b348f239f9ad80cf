import { registerHooks } from 'node:module';

/**
 * Puts files of a test tree in the place of tables of the product: what imports the one gets the other, and the table of
 * the test tree itself may import the one that it replaces. Only what is imported after this call is concerned, so a test
 * imports the product dynamically.
 * @param tables URL of the table in src → URL of the one that serves here
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
