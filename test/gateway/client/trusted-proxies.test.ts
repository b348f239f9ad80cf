import t from 'tap';
import { originReader } from '../../../src/gateway/client/trusted-proxies.ts';

const read = originReader(['127.0.0.1', '10.0.0.0/8', 'fd00::/8']);

function origin(forwardedFor: string, address = '127.0.0.1') {
  return read({
    address,
    secure: false,
    rawHeaders: ['X-Forwarded-For', forwardedFor],
    requestIdHeader: 'x-request-id',
  });
}

t.test('the client is the first address from the right that is not a trusted proxy', async (t) => {
  t.equal(origin('6.6.6.6, 1.2.3.4, 10.0.0.9').address, '1.2.3.4');
  t.equal(origin('6.6.6.6, 1.2.3.4, 10.0.0.9').chain, '1.2.3.4, 10.0.0.9, 127.0.0.1');
  t.equal(origin('10.0.0.7').address, '10.0.0.7', 'a proxy may be the client');
});

t.test('a hop that is not an address ends the trust: everything left of it is ignored', async (t) => {
  t.equal(origin('9.9.9.9, unknown').address, '127.0.0.1');
  t.equal(origin('9.9.9.9, _hidden, 10.0.0.9').address, '10.0.0.9');
  t.equal(origin('9.9.9.9, fe80::1%eth0').address, '127.0.0.1');
});

t.test('a port after the address is left out', async (t) => {
  t.equal(origin('9.9.9.9, 1.2.3.4:5678').address, '1.2.3.4');
  t.equal(origin('9.9.9.9, [2001:db8::1]:443').address, '2001:db8::1');
  t.equal(origin('9.9.9.9, 2001:db8::1').address, '2001:db8::1');
});

t.test('the headers of any other peer do not count', async (t) => {
  t.match(origin('9.9.9.9', '192.0.2.1'), { address: '192.0.2.1', chain: '192.0.2.1', requestId: undefined });
});
