import { Socket } from 'node:net';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/base/clock.ts';
import { openRecords } from '../../../src/storage/open.ts';
import { claim, minted, saveCode } from '../../contracts/records/samples.ts';
import { postgresServer, skipWithoutPostgres as skip } from '../../support/postgres.ts';

const encryptionKeys = [Buffer.alloc(32, 7).toString('base64')];

/** How many writes the operating system gets during this. */
async function writesDuring(t: Test, work: () => Promise<unknown>): Promise<number> {
  const socket = Socket.prototype as Required<Socket>;
  const one = t.capture(socket, '_write', socket._write);
  const several = t.capture(socket, '_writev', socket._writev);
  await work();
  return one().length + several().length;
}

t.test('queries that do not wait for an answer are sent in one write', { skip }, async (t) => {
  const server = await postgresServer(t);
  const records = await openRecords(await server.database(), { directory: '/', clock: systemClock, encryptionKeys });
  t.teardown(() => records.close());
  await records.saveTokens(minted('first'));
  t.equal(await writesDuring(t, () => records.saveTokens(minted('a'))), 1, 'BEGIN, what is saved, COMMIT');
  await saveCode(records, 'b');
  const redeem = () => records.redeemCode(claim('b'), minted('b'));
  t.equal(await writesDuring(t, redeem), 2, 'the code is looked at before anything is saved');
});
