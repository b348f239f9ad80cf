import { pino } from 'pino';
import t from 'tap';
import type { AuthorizationServerConfig } from '../../../src/config/schema/gateway.ts';
import { Receiving, type ReportingServer } from '../../../src/gateway/receiver/receiving.ts';
import type { Receipt } from '../../../src/gateway/receiver/token-receiver.ts';

/** A server whose checks end together, when a test says so. */
function slowServer() {
  const checked = Promise.withResolvers<Receipt>();
  const checks = { running: 0, finish: () => checked.resolve({ kind: 'accepted', id: '1', ends: 1 }) };
  const receive = () => {
    checks.running++;
    return checked.promise;
  };
  const config = { backchannel_logout: { audiences: ['shop'] } } as unknown as AuthorizationServerConfig;
  const server: ReportingServer = { config, receiver: { receive, close() {} }, directory: '.' };
  return { server, checks };
}

t.test('a server has at most 256 tokens in checks at a time, even if their bodies arrive together', async (t) => {
  const { server, checks } = slowServer();
  const receiving = new Receiving(() => server, pino({ enabled: false }));
  const heads = Array.from({ length: 300 }, () => receiving.refuse('main', 'logout', undefined));
  t.ok(heads.every((refusal) => refusal === undefined));
  const receipts = heads.map(() => receiving.receive('main', 'logout', 'a token'));
  t.equal(checks.running, 256);
  t.equal(receiving.refuse('main', 'logout', undefined), 'busy');
  checks.finish();
  const kinds = (await Promise.all(receipts)).map(({ kind }) => kind);
  t.equal(kinds.filter((kind) => kind === 'out').length, 44, 'the senders must try again');
  const counts = [...receiving.counts()].map(([{ result }, count]) => [result, count]);
  t.strictSame(counts, [
    ['busy', 45],
    ['accepted', 256],
  ]);
  t.match(await receiving.receive('main', 'logout', 'a token'), { kind: 'accepted' }, 'the places are free again');
});
