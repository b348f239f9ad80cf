import type { ReadEngine } from '../engine/engine.ts';
import { StorageUnavailable } from '../engine/errors.ts';
import type { ReadOptions } from '../lookup/read.ts';
import { postgresEngine } from './engine.ts';
import { postgresAddress } from './url.ts';

/** `postgres://…` of an authorization service. A role with SELECT on its tables is enough. */
export function readPostgres(location: string, { directory, clock }: ReadOptions): ReadEngine {
  const { client } = postgresAddress(location, directory);
  let opened: Promise<ReadEngine> | undefined;
  const engine = () => {
    // pg is loaded only when needed.
    opened ??= import('./sessions.ts').then((pg) => postgresEngine(pg.poolSessions(client), clock));
    return opened;
  };
  return {
    async read(verb) {
      try {
        return await (await engine()).read(verb);
      } catch (error) {
        throw withReason(error);
      }
    },
    close: async () => (await engine()).close(),
  };
}

/** PostgreSQL's primary message names tables and limits, never their content. */
function withReason(error: unknown): unknown {
  if (!(error instanceof StorageUnavailable) || !(error.cause instanceof Error)) return error;
  const { cause } = error;
  return new StorageUnavailable(`the database cannot be read: ${cause.message}`, { cause });
}
