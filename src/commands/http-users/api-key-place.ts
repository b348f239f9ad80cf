import type { ApiKeyEntry } from '../../config/files/api-keys.ts';

/** Where API keys are kept. Each verb throws a `Refusal` with what the operator has to change. */
export interface ApiKeyPlace {
  /** In a message. */
  readonly name: string;
  list(): Promise<readonly ApiKeyEntry[]>;
  /** Answers the ids of the keys that were added. A key that is there already stays as it is. */
  add(keys: readonly ApiKeyEntry[]): Promise<ReadonlySet<string>>;
  /** Adds `made`, and ends the key `id` at `oldUntil` (NumericDate) unless it ends before. False: there is none. */
  rotate(id: string, made: ApiKeyEntry, oldUntil: number): Promise<boolean>;
  /** False where there is none. */
  remove(id: string): Promise<boolean>;
}
