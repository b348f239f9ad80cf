/** For ID tokens. RS256 is mandatory for a provider (OpenID Connect Core §15.1). */
export const idTokenAlgorithms = ['RS256', 'ES256', 'EdDSA'] as const;
export type IdTokenAlgorithm = (typeof idTokenAlgorithms)[number];

/** OpenID Connect Core §8. */
export const subjectTypes = ['public', 'pairwise'] as const;
