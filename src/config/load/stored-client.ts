import type { Static } from 'typebox';
import { type ClientConfig, ClientSettings } from '../schema/client.ts';
import type { Schema } from '../schema/input-schema.ts';
import { applyDefaults } from '../validate/apply-defaults.ts';
import { completeClient } from '../validate/complete.ts';
import { buildValidate } from '../validate/validate.ts';
import { flag, record } from '../words/schema.ts';

const { client_id, client_secret, client_secret_sha256, app_id, app_secret, ...members } = ClientSettings.properties;

const Stored = record(
  {
    ...members,
    public: flag(
      false,
      'true: a public client, which never had a secret. false: a client with secrets, which may all have expired.',
    ),
  },
  undefined,
  'A client that a command registered. It has the keys of a client in the file, except the id and the secrets.',
);

/** Absent keys have their defaults, as in a file. Durations are text. */
export type StoredClient = Readonly<Record<string, unknown>>;

export type ReadClient =
  | { readonly ok: true; readonly client: ClientConfig; readonly isPublic: boolean }
  | { readonly ok: false; readonly fault: string };

const validate = buildValidate(Stored as unknown as Schema);

/** A record of an older program gets today's defaults. Unknown keys of a newer program are ignored. */
export function readStoredClient(id: string, written: StoredClient, retryWindow: number): ReadClient {
  const known = Object.fromEntries(Object.entries(written).filter(([name]) => Object.hasOwn(Stored.properties, name)));
  const [fault] = validate(known, () => false).findings;
  if (fault !== undefined) return { ok: false, fault: `\`${fault.pointer.join('.')}\`: ${fault.message}` };
  const { public: isPublic, ...said } = applyDefaults(Stored as unknown as Schema, known) as Static<typeof Stored>;
  return { ok: true, client: completeClient({ ...said, client_id: id }, retryWindow), isPublic };
}
