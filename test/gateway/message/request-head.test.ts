import t from 'tap';
import { isLastHop, valuesOf } from '../../../src/gateway/message/request-head.ts';
import { headOf } from '../head.ts';

t.test('the values of a field are only those of its own lines', async (t) => {
  const head = headOf(['A', '1', 'B', 'a', 'a', '2']);
  t.strictSame(valuesOf(head, 'a'), ['1', '2']);
  t.strictSame(valuesOf(head, '1'), []);
});

t.test('only OPTIONS and TRACE count hops (RFC 9110 §7.6.2), and a value is not a name', async (t) => {
  const hops = (method: string, ...fields: string[]) => isLastHop({ ...headOf(fields), method });
  t.ok(hops('TRACE', 'Max-Forwards', '0'));
  t.ok(hops('OPTIONS', 'max-forwards', '1', 'max-forwards', '00'));
  t.notOk(hops('GET', 'max-forwards', '0'));
  t.notOk(hops('TRACE', 'max-forwards', '1'));
  t.notOk(hops('TRACE', 'x', 'max-forwards', '0', 'x'));
});
