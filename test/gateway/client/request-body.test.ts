import { EventEmitter } from 'node:events';
import { mock } from 'node:test';
import t, { type Test } from 'tap';
import type { ClientRequest } from '../../../src/gateway/client/client-message.ts';
import { entityBudget } from '../../../src/gateway/client/entity-budget.ts';
import { ClientGone, FIRST, RequestBody } from '../../../src/gateway/client/request-body.ts';

class Client extends EventEmitter {
  complete = false;
  paused = false;

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }

  sends(bytes: number): void {
    this.emit('data', Buffer.alloc(bytes, 'x'));
  }

  ends(): void {
    this.complete = true;
    this.emit('end');
  }
}

function scene(t: Test, capacity?: number) {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  const client = new Client();
  const budget = entityBudget(capacity);
  const body = new RequestBody(client as unknown as ClientRequest, Number.POSITIVE_INFINITY);
  let here = 0;
  body.readAhead(budget.open('192.0.2.1', 1), () => here++);
  return { client, budget, body, here: () => here };
}

async function contentOf(body: RequestBody): Promise<number> {
  let bytes = 0;
  for await (const chunk of body) bytes += (chunk as Buffer).length;
  return bytes;
}

t.test('a body is ready to send 250 ms after its last byte, and not before', async (t) => {
  const { client, here } = scene(t);
  for (let sent = 0; sent < 20; sent++) {
    mock.timers.tick(249);
    client.sends(1);
  }
  t.equal(here(), 0);
  mock.timers.tick(250);
  t.equal(here(), 1);
  mock.timers.tick(1000);
  t.equal(here(), 1);
});

t.test('a body without a byte is ready to send after 250 ms', async (t) => {
  const { here } = scene(t);
  mock.timers.tick(250);
  t.equal(here(), 1);
});

t.test('a body is ready to send when its end has arrived, and arrives whole', async (t) => {
  const { client, body, budget, here } = scene(t);
  client.sends(10);
  client.sends(5);
  t.equal(budget.held, 15);
  client.ends();
  t.equal(here(), 1);
  t.equal(await contentOf(body), 15);
  t.equal(budget.held, 0);
});

t.test(
  'a body is ready to send when 64 KiB have arrived, and no more is read from the client until it is needed',
  async (t) => {
    const { client, body, budget, here } = scene(t);
    client.sends(FIRST - 1);
    t.equal(here(), 0);
    client.sends(1);
    t.equal(here(), 1);
    t.ok(client.paused);
    t.equal(budget.held, FIRST);
    const content = contentOf(body);
    await new Promise(setImmediate);
    t.notOk(client.paused);
    t.equal(budget.held, 0, 'it is on its way');
    client.sends(100);
    client.ends();
    t.equal(await content, FIRST + 100);
  },
);

t.test('65,500 chunks of one byte wait in few pieces, and count as their bytes', async (t) => {
  const { client, body, budget } = scene(t);
  for (let sent = 0; sent < 65_500; sent++) client.sends(1);
  t.equal(budget.held, 65_500);
  client.ends();
  const pieces: Buffer[] = [];
  body.on('data', (piece) => pieces.push(piece));
  await new Promise((ended) => body.once('end', ended));
  t.equal(Buffer.concat(pieces).length, 65_500);
  t.ok(pieces.length <= 20, `${pieces.length} pieces`);
});

t.test('a body that was read starts again from its first byte', async (t) => {
  const client = new Client();
  const body = new RequestBody(client as unknown as ClientRequest, Number.POSITIVE_INFINITY);
  const [first] = await Promise.all([
    new Promise<Buffer>((read) => body.once('data', read)),
    new Promise<void>((sent) => setImmediate(() => sent(client.sends(3)))),
  ]);
  client.sends(4);
  t.equal(body.giveBack(first).length, 7);
  t.ok(client.paused);
  t.ok(body.destroyed);
});

t.test('if no more may be buffered, a body is sent immediately', async (t) => {
  const { client, body, budget, here } = scene(t, 20);
  client.sends(10);
  t.equal(here(), 0);
  client.sends(1);
  t.equal(here(), 1);
  t.equal(budget.held, 10);
  client.ends();
  t.equal(await contentOf(body), 11);
});

t.test('the body of a sender that left is dropped, and uses no memory', async (t) => {
  const { client, body, budget, here } = scene(t);
  const failed = new Promise((failed) => body.once('error', failed));
  client.sends(10);
  client.emit('close');
  t.ok((await failed) instanceof ClientGone);
  t.equal(budget.held, 0);
  mock.timers.tick(1000);
  t.equal(here(), 0);
});
