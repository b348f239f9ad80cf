import type { Seal } from '../engine/seal.ts';
import type { SealedColumn } from '../engine/sealed-column.ts';
import { bytes, first, type Row, run, text, type Verb } from '../engine/verb.ts';

export function secrets(seal: Seal) {
  return {
    /** Stores the candidate as the secret of this name, unless there is one. Returns the stored secret. */
    *adoptSecret(name: string, candidate: Uint8Array): Verb<Uint8Array> {
      yield* run(
        'INSERT INTO secret (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING',
        name,
        seal.seal(candidate, purpose(name)),
      );
      const row = yield* first('SELECT value FROM secret WHERE name = $1', name);
      return seal.open(bytes(row as Row, 'value'), purpose(name));
    },
  };
}

function purpose(name: string): string {
  return `secret ${name}`;
}

export const sealedSecrets: SealedColumn = {
  table: 'secret',
  column: 'value',
  key: ['name'],
  purpose: (row) => purpose(text(row, 'name')),
};
