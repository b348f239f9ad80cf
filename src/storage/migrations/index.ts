import { tokensAndKeys } from './0001-tokens-and-keys.ts';
import { grantsAndPeople } from './0002-grants-and-people.ts';
import type { Migration } from './migration.ts';

export const migrations: readonly Migration[] = [tokensAndKeys, grantsAndPeople];
