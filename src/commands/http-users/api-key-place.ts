import type { ApiKeyEntry } from '../../config/files/api-keys.ts';

/** A store of API keys. Each method throws a `Refusal` that tells the operator what to change. */
export interface ApiKeyPlace {
  /** The name of the place in messages. */
  readonly name: string;
  list(): Promise<readonly ApiKeyEntry[]>;
  /** Returns the ids of the added keys. An existing key stays as it is. */
  add(keys: readonly ApiKeyEntry[]): Promise<ReadonlySet<string>>;
  /** Adds `made`, and ends the key `id` at `oldUntil` (NumericDate) at the latest. False: there is no such key. */
  rotate(id: string, made: ApiKeyEntry, oldUntil: number): Promise<boolean>;
  /** False: there is no such key. */
  remove(id: string): Promise<boolean>;
}
