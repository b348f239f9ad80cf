import type { Service } from '../../authorization/service/service.ts';
import type { LineFault } from '../../config/files/user-lines.ts';

/** The parts of one line of a user file that can be imported. */
export interface CarriedLine {
  readonly line: number;
  readonly username: string;
  /** The line as written. It may be as good as a password. */
  readonly text: string;
}

/** A user file of another program, parsed. */
export interface ForeignUsers<Entry extends CarriedLine = CarriedLine> {
  readonly carried: readonly Entry[];
  /** Lines that could not be imported, and remarks on lines that could. */
  readonly left: readonly LineFault[];
}

/** The result for one user in the store. */
export interface StoredUser {
  readonly username: string;
  readonly realm?: string | undefined;
  /** For Digest: names of algorithms. For Basic: the kind of the hash. */
  readonly kinds: readonly string[];
  readonly outcome: 'added' | 'replaced' | 'kept';
  /** The reason for `kept`. */
  readonly reason?: string | undefined;
}

/** A file format: how to parse it, and how to store its users. */
export interface UserFormat<Entry extends CarriedLine = CarriedLine> {
  read(text: string): ForeignUsers<Entry>;
  /** `isReplacing`: existing users get the password of the file. */
  store(service: Service, entries: readonly Entry[], isReplacing: boolean): Promise<readonly StoredUser[]>;
}
