import { CommanderError } from 'commander';

/** Exit status of a command with wrong arguments. */
export const USAGE = 2;

/**
 * A wrong value of an option that may hold a secret. Commander's own error would repeat the value, and so would a CI log.
 * This message is printed unchanged.
 */
export class SecretValueError extends CommanderError {
  constructor(message: string) {
    super(USAGE, 'gatehouse.secretValue', message);
  }
}
