import { fileURLToPath } from 'node:url';

/** A key or a certificate of test/vectors/tls. */
export const tlsFile = (name: string) => fileURLToPath(new URL(`../vectors/tls/${name}`, import.meta.url));
