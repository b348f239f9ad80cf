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
      "This PEM file holds the only certificate authorities that the program trusts for this Redis, in place of the system's authorities.",
    ),
  },
  undefined,
  'Set this for a Redis whose certificate comes from a private authority.',
);

/** `counters:` of both files: a URL, or a map with the URL and TLS settings. `what`: the things that are counted. */
export function counters(what: string) {
  const description = `The program keeps the counters for ${what} here. Write \`memory\`, or redis://HOST:PORT (rediss: with TLS) if several processes share the counters.`;
  const parts = record({
    url: text(undefined, 'This is the URL of the Redis: redis://HOST:PORT, or rediss: with TLS.'),
    tls: Type.Optional(Tls),
  });
  return Type.Unsafe<CountersFile>({ anyOf: [text(), parts], default: 'memory', description });
}

/** Converts both forms to one. */
export function countersParts(written: CountersFile): CountersConfig {
  return typeof written === 'string' ? { url: written } : written;
}
