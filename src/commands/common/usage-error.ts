import { CommanderError } from 'commander';

/** Exit status of a command that was not written as its help says. */
export const USAGE = 2;

/**
 * A wrong value of an option that may hold a secret. Commander's own error repeats the value, and so would a log of CI; this
 * one is printed as it stands.
 */
export class SecretValueError extends CommanderError {
  constructor(message: string) {
    super(USAGE, 'gatehouse.secretValue', message);
  }
}
