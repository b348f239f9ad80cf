import t from 'tap';
import { LoggedProxies } from '../../src/base/logged-proxies.ts';
import { settableClock } from '../support/settable-clock.ts';

t.test('strangers with proxy headers do not suppress a later proxy: it is logged in the next hour', async (t) => {
  const clock = settableClock();
  const warned: Record<string, unknown>[] = [];
  const proxies = new LoggedProxies(clock, { warn: (line: object) => void warned.push({ ...line }) });
  const meet = (address: string) => proxies.meet({ address }, 'it is a proxy');
  for (let n = 0; n < 300; n++) meet(`198.51.${n >> 8}.${n & 255}`);
  for (let n = 0; n < 100; n++) meet('192.0.2.7');
  t.equal(warned.length, 16);
  t.notMatch(warned, [{ address: '192.0.2.7' }]);
  clock.advance(3_600_000);
  meet('192.0.2.7');
  const [leftOut, named, ...more] = warned.slice(16);
  t.match(leftOut, { count: 300 - 16 + 100 });
  t.ok(String(leftOut?.addresses).includes('192.0.2.7'), 'also where strangers come first again');
  t.strictSame([named, more], [{ address: '192.0.2.7' }, []]);
});
