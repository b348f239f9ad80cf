import * as Type from 'typebox';
import { record, text } from '../words/schema.ts';

/** Where counts are kept. */
export interface CountersConfig {
  readonly url: string;
  readonly tls?: { readonly ca: string };
}

export type CountersFile = string | CountersConfig;

const Tls = record(
  { ca: text(undefined, 'File: who may issue its certificate, PEM, in place of the authorities of the system.') },
  undefined,
  'For a Redis with an authority of its own.',
);

/** `counters:` of both files: a url, or one with what TLS needs. `what`: who is counted. */
export function counters(what: string) {
  const description = `memory, or redis://HOST:PORT shared by several processes (rediss: with TLS): ${what}.`;
  const parts = record({ url: text(undefined, 'As in the short form.'), tls: Type.Optional(Tls) });
  return Type.Unsafe<CountersFile>({ anyOf: [text(), parts], default: 'memory', description });
}

/** Either way of writing it, as one. */
export function countersParts(written: CountersFile): CountersConfig {
  return typeof written === 'string' ? { url: written } : written;
}
