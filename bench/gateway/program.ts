import type { Command } from '../children.ts';
import type { Place } from './place.ts';

/** A program other than our gateway, started in the foreground. */
export interface Program {
  /** Undefined if it is not installed. */
  command(place: Place): Command | undefined;
  /** The command that installs it; absent if it is always there. */
  readonly install?: string;
}
