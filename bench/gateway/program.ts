import type { Command } from '../children.ts';
import type { Place } from './place.ts';

/** A program besides our gateway, as it is started in the foreground. */
export interface Program {
  /** Undefined where it is not installed. */
  command(place: Place): Command | undefined;
  /** What brings it here; absent where it always is. */
  readonly install?: string;
}
