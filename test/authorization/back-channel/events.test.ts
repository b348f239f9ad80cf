import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { sha256 } from '../../../src/base/secret.ts';
import { ask, followEvents } from '../../support/event-stream.ts';
import { basic, gateway, type Running, run, shop } from '../running-service.ts';

/** Opens services: 30 s in .ci/run on a busy machine. */
t.setTimeout(180_000);

const path = '/oauth2/events';
const keyOf = (token: string) => sha256(token).toString('base64url');
const revoke = (service: Running, token: string, client = shop) =>
  service.post('/oauth2/revoke', { token }, basic(client));

t.test('a client that may no longer follow gets no more events, also on a stream that is already open', async (t) => {
  const service = await run(t);
  const { records } = service.service;
  const named = (id: string) => ({ id, secret: `cs_${id}-secret-of-32-bytes-or-more` });
  const clients = ['removed', 'rotated', 'stays'].map(named);
  for (const { id, secret } of clients) {
    const hash = { hash: sha256(secret), createdAt: 0, expiresAt: undefined };
    await records.addClient({ id, metadata: { events: true }, createdAt: 0, secrets: [hash] });
  }
  const followers = await Promise.all(clients.map((client) => followEvents(service.url + path, basic(client))));
  for (const follower of followers) await follower.inStep();
  const now = Math.floor(Date.now() / 1000);
  await records.unregisterClient('removed');
  const secret = { hash: sha256('another'), createdAt: now, expiresAt: undefined };
  await records.rotateClientSecret({ id: 'rotated', secret, oldUntil: now, now });
  const late = pause(20_000, 'nobody ended it', { ref: false });
  for (const { ended } of followers.slice(0, 2)) t.equal(await Promise.race([ended, late]), true);
  const token = await service.token();
  await revoke(service, token);
  await followers[2]?.first(1);
  t.strictSame(
    followers.map(({ frames }) => frames.length),
    [0, 0, 1],
  );
  for (const follower of followers) follower.close();
});

t.test('a token that was already revoked, is unknown or has expired causes no event', async (t) => {
  const service = await run(t);
  const token = await service.token();
  for (let time = 0; time < 3; time++) await revoke(service, token);
  await revoke(service, 'at_nonsense');
  const follower = await followEvents(service.url + path, basic(gateway));
  await follower.inStep();
  t.equal(follower.frames.length, 1);
  follower.close();
});

t.test('the answer is a stream that no intermediary caches or buffers', async (t) => {
  const service = await run(t);
  const follower = await followEvents(service.url + path, basic(gateway));
  t.match(follower.response.headers, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  follower.close();
});

t.test('only an authenticated client with `events: true` may follow', async (t) => {
  const service = await run(t);
  const statuses: readonly [string, Record<string, string>, number, string][] = [
    ['nobody', {}, 401, 'invalid_client'],
    ['a wrong secret', basic({ ...gateway, secret: 'wrong' }), 401, 'invalid_client'],
    ['a client without the permission', basic(shop), 403, 'access_denied'],
  ];
  for (const [who, headers, status, error] of statuses) {
    const response = await fetch(service.url + path, { headers });
    t.equal(response.status, status, who);
    t.equal(response.headers.get('www-authenticate') !== null, status === 401, who);
    t.match(await response.json(), { error }, who);
  }
  const inQuery = await fetch(`${service.url}${path}?client_id=gateway&client_secret=${gateway.secret}`);
  t.equal(inQuery.status, 400, 'a secret never stands in the URI');
  const posted = await service.post(path, {}, basic(gateway));
  t.equal(posted.status, 405);
  t.equal(posted.headers.get('allow'), 'GET');
});

t.test('an invalid cursor and an invalid wait are errors', async (t) => {
  const service = await run(t);
  for (const query of [
    'since=x',
    'since=-1',
    'since=1.5',
    'since=99999999999999999',
    'wait=x',
    'wait=61',
    'since=1&since=2',
  ]) {
    const response = await fetch(`${service.url}${path}?${query}`, { headers: basic(gateway) });
    t.equal(response.status, 400, query);
    t.match(await response.json(), { error: 'invalid_request' }, query);
  }
});

t.test('a follower continues after its cursor, wherever the cursor is', async (t) => {
  const service = await run(t);
  const tokens = await Promise.all(Array.from({ length: 5 }, () => service.token()));
  for (const token of tokens) await revoke(service, token);
  const all = await followEvents(service.url + path, basic(gateway));
  const frames = await all.first(5);
  all.close();
  t.strictSame(
    frames.map(({ data }) => data.key),
    tokens.map(keyOf),
    'in their order',
  );
  t.ok(frames.every(({ id }, index) => id > (frames[index - 1]?.id ?? 0)));
  const third = frames[2]?.id ?? 0;
  const byQuery = await followEvents(`${service.url}${path}?since=${third}`, basic(gateway));
  t.strictSame(
    (await byQuery.first(2)).map(({ id }) => id),
    [frames[3]?.id, frames[4]?.id],
  );
  const headers = { ...basic(gateway), 'last-event-id': String(frames[3]?.id) };
  const byField = await followEvents(`${service.url}${path}?since=${third}`, headers);
  await byField.inStep();
  t.strictSame(
    byField.frames.map(({ id }) => id),
    [frames[4]?.id],
    'what came back knows better than its address',
  );
  byQuery.close();
  byField.close();
});

t.test('a cursor of another database gets a reset, and then all events', async (t) => {
  const service = await run(t);
  await revoke(service, await service.token());
  const all = await followEvents(service.url + path, basic(gateway));
  const [frame] = await all.first(1);
  all.close();
  for (const cursor of [(frame?.id ?? 0) + 1, 7]) {
    const follower = await followEvents(`${service.url}${path}?since=${cursor}`, basic(gateway));
    const [reset, first] = await follower.first(2);
    t.match(reset, { id: 0, event: 'reset', data: { key: 'cursor_unknown', until: 0 } });
    t.equal(first?.id, frame?.id);
    follower.close();
  }
});

t.test('a long poll returns existing events, the next event, or nothing after its time', async (t) => {
  const service = await run(t);
  const poll = async (query: string) =>
    (await (await fetch(`${service.url}${path}?${query}`, { headers: basic(gateway) })).json()) as {
      events: { seq: number; kind: string; key: string; until: number }[];
      next: number;
    };
  t.strictSame(await poll('wait=0'), { events: [], next: 0 });
  const token = await service.token();
  const waiting = poll('wait=25&since=0');
  await pause(100);
  await revoke(service, token);
  const { events, next } = await waiting;
  t.match(events, [{ seq: next, kind: 'token_hash', key: keyOf(token), until: Number }]);
  t.strictSame(await poll('wait=25'), { events, next });
  t.strictSame(await poll(`wait=1&since=${next}`), { events: [], next });
  t.match(await poll(`wait=25&since=${next + 1}`), { events: [{ seq: 0, kind: 'reset' }, { seq: next }], next });
});

t.test('every five seconds a comment line tells followers that they missed nothing', async (t) => {
  const service = await run(t);
  const follower = await followEvents(service.url + path, basic(gateway));
  await follower.inStep();
  const begin = performance.now();
  await follower.inStep();
  await follower.inStep();
  const waited = performance.now() - begin;
  t.ok(waited > 5000 && waited < 14_000, `${Math.round(waited)} ms`);
  follower.close();
});

t.test('a stop ends streams and long polls properly and without delay', async (t) => {
  const service = await run(t);
  const follower = await followEvents(service.url + path, basic(gateway));
  await follower.inStep();
  const polled = fetch(`${service.url}${path}?wait=25`, { headers: basic(gateway) });
  await pause(100);
  const begin = performance.now();
  await service.stop();
  t.equal(await follower.ended, true);
  t.strictSame(await (await polled).json(), { events: [], next: 0 });
  t.ok(performance.now() - begin < 15_000, 'the poll would have waited for 25 s');
});

t.test('an unreadable store is an outage, never a silence that looks like no news', async (t) => {
  const service = await run(t);
  const follower = await followEvents(service.url + path, basic(gateway));
  await follower.inStep();
  await service.service.records.close();
  const response = await ask(`${service.url}${path}?wait=1`, basic(gateway));
  t.equal(response.statusCode, 503);
  t.ok(response.headers['retry-after']);
  response.resume();
  await t.rejects(follower.inStep(7000), /a comment/);
  follower.close();
});

t.test('the metadata name the feed if some client may follow it', async (t) => {
  const found = async (service: Running) =>
    ((await (await fetch(`${service.url}/.well-known/oauth-authorization-server`)).json()) as Record<string, string>)
      .revocation_events_endpoint;
  t.equal(await found(await run(t)), 'http://localhost:8081/oauth2/events');
  t.equal(await found(await run(t, { config: { clients: [{ client_id: 'shop' }] } })), undefined);
});
