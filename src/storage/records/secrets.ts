import { bytes } from '../columns.ts';
import type { Seal } from '../seal.ts';
import { first, type Row, run, type Verb } from '../verb.ts';

export function secrets(seal: Seal) {
  return {
    /** Makes the candidate the secret of that name, unless there is one; answers with the one that holds. */
    *adoptSecret(name: string, candidate: Uint8Array): Verb<Uint8Array> {
      yield* run(
        'INSERT INTO secret (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING',
        name,
        seal.seal(candidate, `secret ${name}`),
      );
      const row = yield* first('SELECT value FROM secret WHERE name = $1', name);
      return seal.open(bytes(row as Row, 'value'), `secret ${name}`);
    },
  };
}
