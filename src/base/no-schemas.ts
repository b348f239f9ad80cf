/** For servers whose routes have no schemas. The framework would load two unused compilers for them. */
export const withoutSchemas = {
  schemaController: {
    compilersFactory: { buildValidator: refuse as never, buildSerializer: () => () => JSON.stringify },
  },
};

/** Called if a route declares a schema. Without a compiler, the route would accept everything. */
function refuse(): never {
  throw new Error('a route of this server must not declare a schema');
}
