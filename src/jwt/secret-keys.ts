import { type AlgorithmName, algorithms } from './algorithms.ts';
import type { VerificationKey } from './keys.ts';
import { secretOnLoop } from './on-loop.ts';

/** The HMAC keys of one shared secret. They come only from the configuration, so they apply to every `kid`. */
export function importSecret(
  secret: Uint8Array<ArrayBuffer>,
  accepted: readonly AlgorithmName[],
): Promise<readonly VerificationKey[]> {
  const importOne = async (alg: AlgorithmName, bits: number): Promise<VerificationKey> => {
    const hmac = { name: 'HMAC', hash: `SHA-${bits}` };
    const key = await crypto.subtle.importKey('raw', secret, hmac, false, ['verify']);
    return { alg, kid: undefined, id: alg, key, onLoop: secretOnLoop(secret, alg) };
  };
  return Promise.all(
    accepted.flatMap((alg) => {
      const { hmac } = algorithms[alg];
      return hmac === undefined ? [] : [importOne(alg, hmac)];
    }),
  );
}
