/** For servers whose routes declare no schemas: the framework would load two compilers for them, which nobody asks. */
export const withoutSchemas = {
  schemaController: {
    compilersFactory: { buildValidator: refuse as never, buildSerializer: () => () => JSON.stringify },
  },
};

/** Called for a route that declares one after all: it would let everything pass. */
function refuse(): never {
  throw new Error('no route of this server has a schema');
}
