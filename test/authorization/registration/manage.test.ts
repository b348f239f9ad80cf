import t from 'tap';
import { removeUnused } from '../../../src/authorization/registration/unused-clients.ts';
import { settableClock } from '../../support/settable-clock.ts';
import { answered, decide, signedIn, verifier } from '../browser/walk.ts';
import { asksFor } from '../documents/document-host.ts';
import { gateway } from '../running-service.ts';
import { type Information, metadata, redirectUri, registered, runRegistering, send } from './registering.ts';

type Service = Awaited<ReturnType<typeof runRegistering>>;

const manage = (service: Service, own: Information, method: string, body?: unknown, token?: string) =>
  send(service, own.registration_client_uri, { method, body, token: token ?? own.registration_access_token });

async function tokensOf(service: Service, { client_id }: Information) {
  const tab = await signedIn(service);
  const consent = await tab.get(asksFor(client_id, { scope: 'orders.read' }));
  const { code = '' } = answered(await decide(tab, consent, ['orders.read']));
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    client_id,
  };
  const answer = await service.post('/oauth2/token', form);
  return (await answer.json()) as { access_token: string; refresh_token: string };
}

t.test('a client reads its registration, without its secret', async (t) => {
  const service = await runRegistering(t);
  const { client_secret, client_secret_expires_at, ...own } = await registered(service, {
    token_endpoint_auth_method: 'client_secret_basic',
  });
  t.ok(client_secret);
  t.equal(client_secret_expires_at, 0);
  const answer = await manage(service, own, 'GET');
  t.equal(answer.status, 200);
  t.equal(answer.headers.get('cache-control'), 'no-store');
  t.strictSame(await answer.json(), own);
});

t.test('only the token of a registration opens it, and a client of the file or of a command has none', async (t) => {
  const service = await runRegistering(t);
  const [own, other] = [await registered(service), await registered(service)];
  await service.service.records.addClient({ id: 'commanded', metadata: {}, secrets: [], createdAt: 0 });
  const status = async (id: string, token: string | undefined, method = 'GET') => {
    const body = method === 'PUT' ? { ...metadata, client_id: id } : undefined;
    const answer = await send(service, `/oauth2/register/${id}`, { method, token, body });
    t.match(answer.headers.get('www-authenticate') ?? '', answer.status === 401 ? /^Bearer realm=/ : /^$/);
    return answer.status;
  };
  const right = own.registration_access_token;
  for (const method of ['GET', 'PUT', 'DELETE']) {
    t.equal(await status(own.client_id, undefined, method), 401);
    t.equal(await status(own.client_id, other.registration_access_token, method), 401);
    t.equal(await status(own.client_id, `${right}x`, method), 401);
    for (const id of ['shop', 'commanded', 'nobody', 'constructor']) t.equal(await status(id, right, method), 401, id);
  }
  const again = await send(service, own.registration_client_uri, {
    token: undefined,
    method: 'GET',
    headers: { authorization: `Basic ${Buffer.from(`${own.client_id}:${right}`).toString('base64')}` },
  });
  t.equal(again.status, 401);
  const inQuery = await send(service, `${own.registration_client_uri}?access_token=${right}`, { method: 'GET' });
  t.equal(inQuery.status, 401);
  t.equal(await status(own.client_id, right), 200);
  t.equal((await send(service, own.registration_client_uri, { method: 'PATCH', token: right })).status, 405);
});

t.test('a change replaces all metadata, and keeps id, method and secret', async (t) => {
  const service = await runRegistering(t);
  const own = await registered(service, { token_endpoint_auth_method: 'client_secret_post' });
  const { client_id, client_secret } = own;
  const next = { redirect_uris: ['https://new.example.com/cb'], scope: 'orders.write' };
  const answer = await manage(service, own, 'PUT', { ...next, client_id, client_secret });
  t.equal(answer.status, 200);
  const after = (await answer.json()) as Information;
  t.match(after, { ...next, client_id, token_endpoint_auth_method: 'client_secret_post' });
  t.notOk('client_name' in after);
  t.strictSame(await (await manage(service, own, 'GET')).json(), after);
  const tab = await signedIn(service);
  t.equal((await tab.get(asksFor(client_id, { scope: 'orders.write' }))).status, 400, 'the old address is gone');
  const form = { grant_type: 'refresh_token', refresh_token: 'x', client_id, client_secret: client_secret ?? '' };
  t.match(await (await service.post('/oauth2/token', form)).json(), { error: 'unauthorized_client' });
});

t.test('a change with foreign or missing members is refused', async (t) => {
  const service = await runRegistering(t);
  const own = await registered(service, { token_endpoint_auth_method: 'client_secret_post' });
  const { client_id, client_secret } = own;
  const right = { ...metadata, token_endpoint_auth_method: 'client_secret_post', client_id };
  for (const changes of [
    { client_id: undefined },
    { client_id: 'shop' },
    { client_secret: 'wrong' },
    { client_secret: null },
    { registration_access_token: own.registration_access_token },
    { registration_client_uri: own.registration_client_uri },
    { client_secret_expires_at: 0 },
    { client_id_issued_at: 1 },
    { token_endpoint_auth_method: 'none' },
    { redirect_uris: ['http://evil.example/'] },
    { scope: 'admin' },
  ]) {
    const answer = await manage(service, own, 'PUT', { ...right, ...changes });
    t.equal(answer.status, 400, JSON.stringify(changes));
    t.match(await answer.json(), { error: /^invalid_(client_metadata|redirect_uri)$/ });
  }
  t.equal((await manage(service, own, 'PUT', { ...right, client_secret })).status, 200);
});

t.test('a client that removes itself loses its tokens, and its registration is 401 from then on', async (t) => {
  const service = await runRegistering(t);
  const own = await registered(service);
  const tokens = await tokensOf(service, own);
  t.match(await service.introspect(tokens.access_token, gateway), { active: true });
  const answer = await manage(service, own, 'DELETE');
  t.strictSame([answer.status, await answer.text()], [204, '']);
  t.match(await service.introspect(tokens.access_token, gateway), { active: false });
  const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id: own.client_id };
  t.match(await (await service.post('/oauth2/token', form)).json(), { error: 'invalid_client' });
  for (const method of ['GET', 'DELETE']) t.equal((await manage(service, own, method)).status, 401);
  t.match(service.logged(), /"event":"client_removed"[^\n]*"detail":"by itself"/);
});

t.test('a client changes its registration at most 60 times a minute', async (t) => {
  const service = await runRegistering(t);
  const [own, other] = [await registered(service), await registered(service)];
  const statuses = [];
  for (let index = 0; index < 62; index++) {
    const answer = await manage(service, own, 'PUT', { ...metadata, client_id: own.client_id });
    statuses.push(answer.status);
    await answer.body?.cancel();
  }
  t.strictSame(statuses.slice(59), [200, 429, 429]);
  t.equal((await manage(service, other, 'GET')).status, 200, 'another client is not limited');
});

const DAY = 86_400_000;

t.test('a client that gets no token for long is removed, and one that uses its tokens stays', async (t) => {
  const clock = settableClock();
  const service = await runRegistering(t, { clock, dynamic: { ttl_unused: 30 * DAY } });
  const [unused, used] = [await registered(service), await registered(service)];
  let { refresh_token } = await tokensOf(service, used);
  const look = async () => {
    await removeUnused(service.service, Math.floor(clock.now() / 1000), new AbortController().signal);
    const found = await Promise.all([unused, used].map(({ client_id }) => service.service.clients.find(client_id)));
    return found.map((client) => client !== undefined);
  };
  for (let days = 5; days <= 25; days += 5) {
    clock.advance(5 * DAY);
    const form = { grant_type: 'refresh_token', refresh_token, client_id: used.client_id };
    ({ refresh_token } = (await (await service.post('/oauth2/token', form)).json()) as { refresh_token: string });
    t.ok(refresh_token);
    t.strictSame(await look(), [true, true], `${days} days`);
  }
  clock.advance(6 * DAY);
  t.strictSame(await look(), [false, true]);
  const form = { grant_type: 'refresh_token', refresh_token: 'x', client_id: unused.client_id };
  const gone = await service.post('/oauth2/token', form);
  t.match([gone.status, await gone.json()], [401, { error: 'invalid_client' }]);
  t.match(service.logged(), /"event":"client_removed"[^\n]*"detail":"unused"/);
  clock.advance(40 * DAY);
  t.strictSame(await look(), [false, false], 'its last grant has ended too');
});
