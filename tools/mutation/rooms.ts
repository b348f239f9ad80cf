/** What is mutated, and the test files that run against it: first the room's own, then the fastest of the others. */
export interface Room {
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
}

export const rooms: Readonly<Record<string, Room>> = {
  oauth: { mutate: ['src/oauth/**/*.ts'], tests: ['test/oauth/*.test.ts'] },
  jwt: {
    mutate: ['src/jwt/**/*.ts'],
    // A comparison with jose takes seconds, and other tests find the same mutants.
    tests: ['test/jwt/!(jose-agrees).test.ts'],
  },
  'http-auth': {
    mutate: ['src/http-auth/**/*.ts'],
    // A test that measures time would count a slow moment of the machine as a noticed change.
    tests: ['test/http-auth/!(growth).test.ts'],
  },
  decide: {
    mutate: ['src/gateway/decide/**/*.ts'],
    tests: [
      'test/gateway/message/scope-requirement.test.ts',
      'test/gateway/decide/!(rate-limit|framing-corpus).test.ts',
    ],
  },
  routing: {
    mutate: ['src/gateway/routing/**/*.ts'],
    tests: [
      'test/gateway/routing/*.test.ts',
      'test/gateway/message/target.test.ts',
      'test/gateway/decide/engine.test.ts',
    ],
  },
  verify: {
    mutate: [
      'src/gateway/verify/facts.ts',
      'src/gateway/verify/required-claims.ts',
      'src/gateway/verify/introspection-answer.ts',
      'src/gateway/verify/verify-jwt.ts',
      'src/gateway/verify/verify-introspection.ts',
      'src/gateway/verify/verifiers.ts',
      'src/gateway/verify/facts-cache.ts',
      'src/gateway/server-client/trust.ts',
      'src/gateway/server-client/kid-memory.ts',
      'src/gateway/server-client/key-set.ts',
    ],
    tests: [
      'test/gateway/verify/facts.test.ts',
      'test/gateway/verify/required-claims.test.ts',
      'test/gateway/verify/introspection-answer.test.ts',
      'test/gateway/verify/introspection-rules.test.ts',
      'test/gateway/verify/chosen-server.test.ts',
      'test/gateway/server-client/kid-memory.test.ts',
      'test/gateway/server-client/trust.test.ts',
      'test/gateway/verify/jwt-rules.test.ts',
      'test/gateway/verify/key-set-life.test.ts',
      'test/gateway/verify/verify-jwt.test.ts',
      'test/gateway/verify/verifiers.test.ts',
      'test/gateway/verify/verify-cache.test.ts',
      'test/gateway/verify/token-ends.test.ts',
      'test/gateway/verify/facts-cache.model.test.ts',
      'test/gateway/verify/introspection.model.test.ts',
      'test/gateway/server-client/key-set.model.test.ts',
    ],
  },
  schemes: {
    mutate: ['src/gateway/schemes/**/*.ts'],
    tests: ['test/gateway/schemes/**/!(nonce-memory).test.ts', 'test/gateway/generation/open-schemes.test.ts'],
  },
  grants: {
    mutate: ['src/authorization/grants/**/*.ts'],
    tests: ['test/authorization/grants/!(durable-grants).test.ts', 'test/authorization/openid/login.test.ts'],
  },
};
