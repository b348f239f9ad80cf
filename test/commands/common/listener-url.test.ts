import t from 'tap';
import { listenerUrl } from '../../../src/commands/common/listener-url.ts';

t.test('a listener on every address is reached at loopback, and an IPv6 address is in brackets', async (t) => {
  const of = (host: string) => listenerUrl({ host, port: 9900 }, '/readyz');
  t.equal(of('0.0.0.0'), 'http://127.0.0.1:9900/readyz');
  t.equal(of('::'), 'http://[::1]:9900/readyz');
  t.equal(of('fd00::1'), 'http://[fd00::1]:9900/readyz');
  t.equal(of('gateway.internal'), 'http://gateway.internal:9900/readyz');
});
