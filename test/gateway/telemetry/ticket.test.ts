import { randomBytes } from 'node:crypto';
import t from 'tap';
import { openTicket, ticketSealer } from '../../../src/gateway/telemetry/ticket.ts';

const key = randomBytes(32);

t.test('a ticket opens with its key, whatever its position among several, and with no other', async (t) => {
  const ticket = ticketSealer(key)('what happened: é');
  t.strictSame(openTicket([key], ticket), { kind: 'opened', record: 'what happened: é' });
  t.strictSame(openTicket([randomBytes(32), key], ticket), { kind: 'opened', record: 'what happened: é' });
  t.strictSame(openTicket([randomBytes(32)], ticket), { kind: 'unknown_key' });
  t.strictSame(openTicket([], ticket), { kind: 'unknown_key' });
});

t.test('no two tickets are equal, not even for one record, or of two processes with one key', async (t) => {
  const [one, other] = [ticketSealer(key), ticketSealer(key)];
  const tickets = [one('a'), one('a'), other('a'), other('a')];
  t.equal(new Set(tickets).size, 4);
  for (const ticket of tickets) t.match(openTicket([key], ticket), { kind: 'opened', record: 'a' });
});

t.test('every changed byte and every cut is detected', async (t) => {
  const ticket = Buffer.from(ticketSealer(key)('what happened'), 'base64url');
  for (let index = 0; index < ticket.length; index++) {
    const changed = Buffer.from(ticket);
    changed[index] = (changed[index] as number) ^ 1;
    t.not(openTicket([key], changed.toString('base64url')).kind, 'opened', `byte ${index}`);
  }
  for (let length = 0; length < ticket.length; length++)
    t.not(openTicket([key], ticket.subarray(0, length).toString('base64url')).kind, 'opened', `${length} bytes`);
});

t.test('a text that is not a ticket never makes it throw', async (t) => {
  for (const text of ['', 'x', 'é', '{"ticket":1}', 'A'.repeat(100_000), 'AQ=='])
    t.strictSame(openTicket([key], text), { kind: 'not_a_ticket' }, text.slice(0, 20));
});
