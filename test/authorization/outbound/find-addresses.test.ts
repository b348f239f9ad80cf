import { createSocket } from 'node:dgram';
import t, { type Test } from 'tap';
import { addressFinder } from '../../../src/authorization/outbound/find-addresses.ts';

/** A DNS server on loopback. `answer` makes an answer to a question, or none. */
async function dnsServer(t: Test, answer: (question: Buffer) => Buffer | undefined) {
  const socket = createSocket('udp4');
  let asked = 0;
  socket.on('message', (question, { port, address }) => {
    asked++;
    const text = answer(question);
    if (text !== undefined) socket.send(text, port, address);
  });
  await new Promise<void>((done) => socket.bind(0, '127.0.0.1', done));
  t.teardown(() => socket.close());
  return { server: `127.0.0.1:${socket.address().port}`, asked: () => asked };
}

/** RFC 1035 §4.1: the question with the flags of an answer, a result code, and one address of type A if asked for it. */
function answerTo(question: Buffer, { code = 0, address }: { code?: number; address?: readonly number[] }): Buffer {
  const type = question.subarray(12).indexOf(0) + 12 + 1;
  const isA = question.readUInt16BE(type) === 1;
  const answer = Buffer.from(question.subarray(0, type + 4));
  answer.writeUInt16BE(0x8180 + code, 2);
  answer.writeUInt16BE(isA && address !== undefined ? 1 : 0, 6);
  answer.writeUInt16BE(0, 8);
  answer.writeUInt16BE(0, 10);
  if (!isA || address === undefined) return answer;
  return Buffer.concat([answer, Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address])]);
}

t.test('DNS servers that never answer do not delay the lookup of another name', async (t) => {
  const { server, asked } = await dnsServer(t, () => undefined);
  const find = addressFinder([server]);
  const settled: string[] = [];
  const silent = Array.from({ length: 8 }, (_, index) =>
    t.rejects(find(`slow-${index}.example.com`), /got no answer in time/).then(() => settled.push('silent')),
  );
  t.match(await find('localhost'), [{ family: Number }]);
  settled.push('localhost');
  await Promise.all(silent);
  t.equal(settled[0], 'localhost');
  t.ok(asked() > 0);
});

t.test('a name has the addresses that DNS knows', async (t) => {
  const { server } = await dnsServer(t, (question) => answerTo(question, { address: [192, 0, 2, 7] }));
  t.strictSame(await addressFinder([server])('app.example.com'), [{ address: '192.0.2.7', family: 4 }]);
});

t.test('a name that neither DNS nor the system knows has no address', async (t) => {
  const { server } = await dnsServer(t, (question) => answerTo(question, { code: 3 }));
  await t.rejects(addressFinder([server])('app.invalid'));
});

t.test('at most 1000 names wait for the system, and the next look-up works after them', async (t) => {
  const find = addressFinder();
  const found = await Promise.allSettled(Array.from({ length: 1_300 }, () => find('localhost')));
  t.equal(found.filter(({ status }) => status === 'fulfilled').length, 1_000);
  t.match(await find('localhost'), [{ family: Number }]);
});
