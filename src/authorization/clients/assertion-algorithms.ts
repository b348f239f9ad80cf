import { type AlgorithmName, algorithmNames, algorithms } from '../../jwt/algorithms.ts';

/** A client proves its identity with a private key, so no algorithm with a shared secret. */
export const assertionAlgorithms: readonly AlgorithmName[] = algorithmNames.filter(
  (name) => algorithms[name].hmac === undefined,
);
