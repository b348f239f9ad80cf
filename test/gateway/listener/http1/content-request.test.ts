import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { ContentRequest } from '../../../../src/gateway/listener/http1/content-request.ts';
import { readPlainHead } from '../../../../src/gateway/listener/http1/plain-head.ts';

/** A request with that content, and what a reader gets of it. */
function heard(content: string) {
  const bytes = Buffer.from(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${content.length}\r\n\r\n${content}`);
  const head = readPlainHead(bytes, 0, 1024);
  if (typeof head === 'string') throw new Error(head);
  const request = new ContentRequest(head, bytes.subarray(head.content, head.end), undefined, {} as Socket);
  const events: string[] = [];
  request.on('data', (chunk) => events.push(String(chunk)));
  request.on('end', () => events.push('end'));
  return { request, events };
}

t.test('content is delivered once a reader asks, in the next tick, and then its end', async (t) => {
  const { request, events } = heard('abc');
  await turn();
  t.strictSame(events, []);
  request.resume();
  t.strictSame(events, []);
  await turn();
  t.strictSame(events, ['abc', 'end']);
  request.resume();
  await turn();
  t.strictSame(events, ['abc', 'end'], 'once');
});

t.test('empty content has only an end', async (t) => {
  const { request, events } = heard('');
  request.resume();
  await turn();
  t.strictSame(events, ['end']);
});

t.test('a reader that pauses gets no more, and no end, until it continues', async (t) => {
  const { request, events } = heard('abc');
  request.resume();
  request.pause();
  await turn();
  t.strictSame(events, []);
  request.on('data', () => request.pause());
  request.resume();
  await turn();
  t.strictSame(events, ['abc']);
  request.resume();
  await turn();
  t.strictSame(events, ['abc', 'end']);
});

t.test('bytes that a reader puts back are the first that the next reader gets', async (t) => {
  const { request, events } = heard('abc');
  const giveBack = () => {
    request.pause();
    request.off('data', giveBack);
    request.unshift(Buffer.from('abc'));
  };
  request.on('data', giveBack);
  request.resume();
  await turn();
  request.resume();
  await turn();
  t.strictSame(events, ['abc', 'abc', 'end']);
});

t.test('content without a reader so far can be read whole', async (t) => {
  const { request } = heard('abc');
  t.equal(String(request.whole), 'abc');
  request.pause();
  t.equal(String(request.whole), 'abc');
  request.resume();
  t.equal(request.whole, undefined);
  request.pause();
  t.equal(request.whole, undefined);
});
