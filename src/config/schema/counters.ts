import * as Type from 'typebox';
import { record, text } from '../words/schema.ts';

/** The place of the counters. */
export interface CountersConfig {
  readonly url: string;
  readonly tls?: { readonly ca: string };
}

export type CountersFile = string | CountersConfig;

const Tls = record(
  {
    ca: text(
      undefined,
      "This PEM file holds certificate authorities. The program trusts only these authorities for this Redis, and not the system's authorities.",
    ),
  },
  undefined,
  'Set this key if a private certificate authority issued the certificate of the Redis.',
);

/** `counters:` of both files: a URL, or a map with the URL and TLS settings. `what`: the things that are counted. */
export function counters(what: string) {
  const description = `The program keeps the counters for ${what} here. Write \`memory\`, or the URL redis://HOST:PORT if several replicas share the counters. For TLS, write rediss://HOST:PORT.`;
  const parts = record({
    url: text(undefined, 'This is the URL of the Redis: redis://HOST:PORT, or rediss://HOST:PORT for TLS.'),
    tls: Type.Optional(Tls),
  });
  return Type.Unsafe<CountersFile>({ anyOf: [text(), parts], default: 'memory', description });
}

/** Converts both forms to one. */
export function countersParts(written: CountersFile): CountersConfig {
  return typeof written === 'string' ? { url: written } : written;
}
