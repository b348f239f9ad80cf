import type { Service } from '../../authorization/service/service.ts';
import type { LineFault } from '../../config/files/user-lines.ts';

/** The parts of one line of a user file that can be imported. */
export interface CarriedLine {
  readonly line: number;
  readonly username: string;
  /** The line as written: its holder may need no password. */
  readonly text: string;
}

/** A file of users as another program wrote it. */
export interface ForeignUsers<Entry extends CarriedLine = CarriedLine> {
  readonly carried: readonly Entry[];
  /** What could not be carried over, and what should be known of what could. */
  readonly left: readonly LineFault[];
}

/** What became of one user in the store. */
export interface StoredUser {
  readonly username: string;
  readonly realm?: string | undefined;
  /** For Digest: names of algorithms. For Basic: the kind of the hash. */
  readonly kinds: readonly string[];
  readonly outcome: 'added' | 'replaced' | 'kept';
  /** Of `kept`. */
  readonly reason?: string | undefined;
}

/** A kind of file: how it is read, and how its users are put into the store. */
export interface UserFormat<Entry extends CarriedLine = CarriedLine> {
  read(text: string): ForeignUsers<Entry>;
  /** `isReplacing`: users who are there already get the password of the file. */
  store(service: Service, entries: readonly Entry[], isReplacing: boolean): Promise<readonly StoredUser[]>;
}
