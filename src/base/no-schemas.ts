/** For servers whose routes declare no schemas: the framework would load two compilers for them, which nobody asks. */
export const withoutSchemas = {
  schemaController: {
    compilersFactory: {
      buildValidator: (() => () => () => true) as never,
      buildSerializer: () => () => JSON.stringify,
    },
  },
};
