import t from 'tap';
import {
  connectionNames,
  type DecisiveFields,
  findFrameFault,
  namedDecisive,
} from '../../../src/gateway/decide/framing.ts';
import { headOf } from '../head.ts';

const length = ['Content-Length', '3'];
const chunked = ['Transfer-Encoding', 'chunked'];

t.test('a message has one length: Content-Length once, or chunked once with HTTP/1.1 (RFC 9112 §6)', async (t) => {
  const fault = (headers: readonly string[], version: '1.0' | '1.1' = '1.1') =>
    findFrameFault({ ...headOf(headers), version });
  for (const sound of [[], length, chunked, ['Transfer-Encoding', 'Chunked']])
    t.equal(fault(sound), undefined, sound.join());
  t.equal(fault(length, '1.0'), undefined);
  for (const malformed of [
    [...length, ...length],
    [...length, ...chunked],
  ])
    t.equal(fault(malformed), 'message_malformed', malformed.join());
  t.equal(fault(chunked, '1.0'), 'message_malformed', 'HTTP/1.0 has no transfer encodings');
  for (const encoding of ['gzip', 'gzip, chunked', 'chunked, chunked', 'xchunked', ' chunked'])
    t.equal(fault(['Transfer-Encoding', encoding]), 'transfer_encoding_invalid', encoding);
  t.equal(fault([...chunked, ...chunked]), 'transfer_encoding_invalid');
});

t.test('Connection names fields in any case, with blanks around them, over all its lines', async (t) => {
  const names = (...lines: readonly string[]) => {
    const found = connectionNames(headOf(lines.flatMap((line) => ['Connection', line])));
    return found === undefined ? undefined : [...found];
  };
  t.equal(names(), undefined);
  for (const plain of ['keep-alive', 'Keep-Alive', 'close', 'CLOSE']) t.equal(names(plain), undefined, plain);
  t.strictSame(names('X-A ,\tclose'), ['x-a', 'close']);
  t.strictSame(names('X-A', 'x-B, X-a'), ['x-a', 'x-b']);
  t.strictSame(names('keep-alive, Upgrade'), ['keep-alive', 'upgrade']);
});

/** The result for a request with this Connection value, if the routes of its path read these fields. */
function told(connection: string | undefined, ...routes: readonly (readonly string[] | 'any')[]): string | undefined {
  const placed = routes.map((names): { decisive: DecisiveFields } => ({
    decisive: names === 'any' ? 'any' : new Set(names),
  }));
  return namedDecisive(headOf(connection === undefined ? [] : ['Connection', connection]), () => placed);
}

t.test('Connection may not name a field that decides for every route', async (t) => {
  for (const name of [
    'authorization',
    'origin',
    'access-control-request-method',
    'content-type',
    'content-encoding',
    'content_type',
  ])
    t.equal(told(`close, ${name.toUpperCase()}`), name.replace('_', '-'), name);
});

t.test('Connection may name the fields of a connection, whatever the routes read', async (t) => {
  const legal = ['keep-alive', 'close', 'te', 'trailer', 'upgrade', 'http2-settings', 'proxy-connection'];
  t.equal(told(legal.join(', '), 'any', legal), undefined);
  t.equal(told('upgrade,, ', 'any', ['']), undefined, 'an empty element names nothing');
  t.equal(told(undefined, 'any'), undefined);
  t.equal(told('close', 'any'), undefined);
});

t.test('the routes are not searched if Connection names none of their fields', async (t) => {
  const never = () => {
    throw new Error('the routes were gone through');
  };
  t.equal(namedDecisive(headOf(['Connection', 'te, close']), never), undefined);
  t.equal(namedDecisive(headOf(['Connection', 'X-A, Authorization']), never), 'authorization');
});

t.test('Connection may not name a field that any route of the path reads, in any spelling', async (t) => {
  t.equal(told('x-beta', ['x-env'], ['x-beta']), 'x-beta');
  t.equal(told('X_Beta', ['x-beta']), 'x-beta');
  t.equal(told('x-other', ['x-env'], ['x-beta']), undefined);
  t.equal(told('x-other', []), undefined);
  t.equal(told('te, x-one, x-two', 'any'), 'x-one', 'where the list is open, each decides');
  t.equal(told('x-one, x-two', ['x-three'], 'any'), 'x-one');
});

t.test('at most 64 characters of the name are reported', async (t) => {
  t.equal(told(`x-${'a'.repeat(1000)}`, 'any'), `x-${'a'.repeat(62)}`);
});

t.test('routes that read the same fields are checked once', async (t) => {
  let read = 0;
  const shared = new Set(['x-a']);
  const counted = new Proxy(shared, {
    get(target, name) {
      if (name === 'values') read += 1;
      const member = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  const placed = Array.from({ length: 1000 }, () => ({ decisive: counted }));
  t.equal(
    namedDecisive(headOf(['Connection', 'x-b']), () => placed),
    undefined,
  );
  t.equal(read, 1);
});
