import t from 'tap';
import { afterInput, begun } from '../../../src/commands/top/ui-state.ts';

const after = (...inputs: readonly string[]) => inputs.reduce(afterInput, begun('route:a'));

t.test('keys toggle, and q or Ctrl-C ends', async (t) => {
  t.match(after('p', 'f'), { isPaused: true, onlyRefusals: true, isOver: false });
  t.match(after('pf', 'pf'), { isPaused: false, onlyRefusals: false });
  t.match(after('q'), { isOver: true });
  t.match(after('/', 'status:4', '\u0003'), { isOver: true });
  t.strictSame(after('x', '\r', '\u001b', '\u001b[A', '\u001bOP'), begun('route:a'));
});

t.test('while a filter is typed, keys are text, until Enter applies it or Esc drops it', async (t) => {
  t.match(after('/'), { typed: 'route:a', filter: 'route:a' });
  t.match(after('/', '\u0015', 'qpf/'), { typed: 'qpf/', isOver: false, isPaused: false });
  t.match(after('/', '\u0015pathé\u007f', '\r'), { typed: undefined, filter: 'path' });
  t.match(after('/', 'b', '\u001b'), { typed: undefined, filter: 'route:a' });
  t.match(after('/', '\u0015', '\r'), { filter: '' });
});

t.test('a filter that cannot be read stays with its fault until it is corrected', async (t) => {
  const wrong = after('/', '\u0015nonsense:1', '\r');
  t.match(wrong, { typed: 'nonsense:1', filter: 'route:a', fault: /cannot name `nonsense`/ });
  t.match(afterInput(wrong, '\b'), { typed: 'nonsense:', fault: undefined });
  t.match(after('/', '\u0015', 'x'.repeat(2000)).typed?.length, 512);
});

t.test('control characters are no part of a filter', async (t) => {
  t.match(after('/', '\u0015', 'a\u0001\tb'), { typed: 'ab' });
});
