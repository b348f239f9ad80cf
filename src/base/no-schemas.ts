/** For servers whose routes declare no schemas. The framework would load two unused compilers for them. */
export const withoutSchemas = {
  schemaController: {
    compilersFactory: { buildValidator: refuse as never, buildSerializer: () => () => JSON.stringify },
  },
};

/** Called for a route that declares a schema: without a compiler, it would accept everything. */
function refuse(): never {
  throw new Error('no route of this server has a schema');
}
