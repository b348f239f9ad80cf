import t from 'tap';
import type { Dispatcher } from 'undici';
import { type connectorFor, openOwn } from '../../../../src/gateway/upstreams/own/own-engine.ts';

type Connect = ReturnType<typeof connectorFor>;
type Done = Parameters<Connect>[1];

const url = new URL('http://upstream.test');
const options = { url, serverName: 'upstream.test', connections: 1, connectTimeout: 1_000, keepAlive: true };

/** An engine whose connections open when the test says so. */
function engine() {
  const dials: Done[] = [];
  const own = openOwn({ ...options, trust: { kind: 'files' } }, (_, done) => void dials.push(done));
  const ask = () => {
    const told: string[] = [];
    let leave: () => void = () => {};
    const handler = {
      onQueued: (out: () => void) => {
        leave = out;
      },
      onConnect: () => told.push('connected'),
      onError: ({ message }: Error) => told.push(message),
    };
    own.dispatch({ method: 'GET', path: '/', headers: [] }, handler as unknown as Dispatcher.DispatchHandler);
    return { told, leave: () => leave() };
  };
  return { dials, ask };
}

t.test('a connection that fails to open fails the request for which it was opened', async (t) => {
  const { dials, ask } = engine();
  const { told } = ask();
  dials[0]?.(new Error('no answer'), null);
  t.strictSame(told, ['no answer']);
});

t.test('a request opens its own connection if one that was opened for others has failed', async (t) => {
  const { dials, ask } = engine();
  const first = ask();
  first.leave();
  const second = ask();
  t.equal(dials.length, 1, 'there may be one');
  dials[0]?.(new Error('no answer'), null);
  t.strictSame([first.told, second.told], [[], []]);
  t.equal(dials.length, 2);
  dials[1]?.(new Error('nor now'), null);
  t.strictSame(second.told, ['nor now']);
});
