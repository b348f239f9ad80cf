import { Writable } from 'node:stream';
import type { Test } from 'tap';
import { buildLog } from '../../../src/base/log.ts';
import type { GatewayConfig } from '../../../src/config/schema/gateway.ts';
import { memoryCounters } from '../../../src/counters/memory.ts';
import { openSchemes, type Schemes } from '../../../src/gateway/generation/open-schemes.ts';
import { emptyReloadPool } from '../../../src/gateway/generation/reload-pool.ts';
import { Lease } from '../../../src/gateway/message/lease.ts';
import type { HttpScheme } from '../../../src/gateway/schemes/http-scheme.ts';
import { openRecords } from '../../../src/storage/open.ts';
import type { Records } from '../../../src/storage/records/records.ts';
import { settableClock } from '../../support/settable-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

export interface Opened {
  readonly schemes: Schemes;
  /** The schemes of the route at this index. */
  readonly of: (index: number) => readonly HttpScheme[];
}

/** Opens the schemes of files, one after another, as reloads do. Its clock does not move. */
export function opening(t: Test, directory = '/') {
  const clock = settableClock();
  const kept = emptyReloadPool();
  t.teardown(() => kept.close());
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const log = buildLog({ level: 'trace', format: 'json' }, sink);
  const counters = memoryCounters(clock);
  const lease = new Lease();
  const open = (config: GatewayConfig): Opened => {
    const schemes = openSchemes(config, { clock, log, kept, counters, directory }, lease);
    return { schemes, of: (index) => schemes.of(config.routes[index] as (typeof config.routes)[number]) };
  };
  return { open, clock, logged: () => lines.map((line): Record<string, unknown> => JSON.parse(line)) };
}

/** 32 bytes in base64. */
export const sealKey = Buffer.alloc(32, 7).toString('base64');

/** The empty database of an authorization service, and the service's own writer. */
export async function storeOfUsers(t: Test): Promise<{ readonly storage: string; readonly records: Records }> {
  const storage = `sqlite:${temporaryFolder(t)}/gatehouse.db`;
  const records = await openRecords(storage, { directory: '/', clock: settableClock(), encryptionKeys: [sealKey] });
  t.teardown(() => records.close());
  return { storage, records };
}
