import { cannot } from '../known-keys.ts';
import type { TargetTables } from '../limits.ts';
import type { CannotSay } from '../plan.ts';

/**
 * Checks of a token that a mesh leaves out. Each would accept a token that the gateway refuses, so a route with tokens
 * belongs to Gatehouse. An operator whose issuer signs no such token can accept the difference by its name.
 */

function remedyOf(name: string): string {
  return `let Gatehouse judge these routes with \`--on-unsupported ask\`; or use \`--accept ${name}\` if no caller can have such a token or send such a request`;
}

/** The skew of Envoy, in milliseconds. No setting of a mesh changes it. */
const MESH_SKEW = 60_000;

export const tokenTable: TargetTables['server'] = {
  typ: acceptable('typ', 'the proxy does not check `typ`, so an ID token would pass'),
  algorithms: acceptable('algorithms', 'the proxy accepts every algorithm of a key'),
  max_token_lifetime: acceptable(
    'lifetime',
    'the proxy does not check `iat` or the lifetime, and does not require `exp`',
  ),
  clock_skew: (skew) =>
    skew >= MESH_SKEW
      ? undefined
      : {
          ...acceptable('clock-skew', 'the proxy accepts a token for 60 s after its `exp`')(),
          remedy: 'set `clock_skew: 60s`, or use `--accept clock-skew`',
        },
};

function acceptable(accept: string, why: string): () => CannotSay {
  return () => ({ ...cannot(why, remedyOf(accept))(), accept });
}

/** Limits that belong to no key of a server. */
export const everyServer: readonly CannotSay[] = [
  acceptable('header', 'the proxy ignores `crit`, and accepts other header parameters that the gateway refuses')(),
  acceptable(
    'cnf',
    'the proxy accepts a token that is bound to a key (`cnf`), without the proof that the caller has this key',
  )(),
  acceptable('events', 'the proxy accepts a logout token, or another security event (`events`), as an access token')(),
  acceptable(
    'second-credential',
    'the proxy does not refuse a second credential, such as `access_token` in the query',
  )(),
];

/** The names for `--accept`, one for each row above. */
export const tokenDifferences = [
  'typ',
  'algorithms',
  'lifetime',
  'clock-skew',
  'header',
  'cnf',
  'events',
  'second-credential',
] as const;
