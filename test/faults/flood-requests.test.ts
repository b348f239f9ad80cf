import { once } from 'node:events';
import { connect } from 'node:net';
import t, { type Test } from 'tap';
import { freePort } from '../support/free-port.ts';
import { behind } from '../support/gateway.ts';
import { startProcess, throws } from '../support/process.ts';
import { random } from '../support/random.ts';
import { ask } from '../support/raw-client.ts';
import { requestText } from '../support/request-text.ts';
import { serving } from '../support/serving.ts';
import { digestLines, userFile } from '../support/user-files.ts';
import { issuing } from './support/issuing.ts';
import { mutated, type Seeds } from './support/mutated-requests.ts';
import { quietUpstream } from './support/quiet-upstream.ts';
import { sized } from './support/size.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(sized(600_000, 900_000, 3 * 3_600_000));

/** Of both programs together. */
const REQUESTS = sized(20_000, 200_000, 1_000_000);
const AT_ONCE = 48;
/** Milliseconds until a cut request is ended. A slow request continues to its answer. */
const PATIENCE = 150;
const LONGEST = 1_000;

const text = (request: Parameters<typeof requestText>[0]) => requestText(request).toString('latin1');

/** A separate connection for each, which is closed at the first answer. A cut request gets no answer. */
function exchange(port: number, bytes: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let answer = '';
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).setEncoding('latin1');
  const timers = [setTimeout(() => socket.end(), PATIENCE), setTimeout(() => socket.destroy(), LONGEST)];
  socket.on('end', () => socket.destroy());
  socket.on('data', (more) => {
    answer += more;
    if (answer.includes('\r\n\r\n')) socket.destroy();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    timers.forEach(clearTimeout);
    resolve(answer);
  });
  socket.write(bytes, 'latin1');
  return promise;
}

interface Heard {
  readonly statuses: Map<string, number>;
  /** Requests that got 500. Only an exception causes it. */
  readonly thrown: string[];
}

async function fuzz(port: number, seeds: Seeds, seed: number, times: number): Promise<Heard> {
  const dice = random(seed);
  const heard: Heard = { statuses: new Map(), thrown: [] };
  let left = times;
  const work = async () => {
    for (; left > 0; ) {
      left--;
      const bytes = mutated(seeds, dice);
      const answer = await exchange(port, bytes);
      const status = answer.slice(9, 12);
      heard.statuses.set(status, (heard.statuses.get(status) ?? 0) + 1);
      if (/HTTP\/1\.1 500/.test(answer) && heard.thrown.length < 5) heard.thrown.push(bytes);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return heard;
}

function judge(t: Test, { statuses, thrown }: Heard, times: number, output: string): void {
  const answered = times - (statuses.get('') ?? 0);
  t.comment(`${times} requests: ${JSON.stringify(Object.fromEntries(statuses))}`);
  t.strictSame(thrown, [], 'none is answered 500');
  t.ok(answered > times / 2, `${answered} are answered`);
  t.ok((statuses.get('200') ?? 0) > times / 100, 'some pass');
  t.strictSame(throws(output), [], 'nothing is thrown');
  t.notMatch(output, /internal error|unhandled/i);
}

t.test('no mutated request ends the gateway, or makes it throw', async (t) => {
  const [service, admin] = [await issuing(t), await freePort()];
  const basic = {
    realm: 'r',
    users: userFile(t, 'user:$apr1$zzzzzzzz$AvjOqWkqAKCpfzWSIDYh9/\n'),
    allow_insecure: true,
  };
  const digest = { realm: 'r', users: userFile(t, digestLines('user', 'r', 'right')) };
  const routes = [
    { id: 'public', match: { path: '/public/{rest*}' }, access: 'public' },
    { id: 'orders', match: { path: '/orders/{rest*}' }, scope: 'orders.read' },
    { id: 'basic', match: { path: '/basic' }, auth: 'basic', basic, access: 'authenticated' },
    { id: 'digest', match: { path: '/digest' }, auth: 'digest', digest, access: 'authenticated' },
  ];
  const upstream = await serving(t, quietUpstream());
  const changes = {
    routes,
    authorization_servers: service.server,
    bearer_methods_supported: ['header', 'body', 'query'],
  };
  const config = behind(upstream, { ...changes, admin: `127.0.0.1:${admin}`, trusted_proxies: ['127.0.0.1'] });
  const gateway = await startProcess({ config });
  t.teardown(() => gateway.stop());
  const [opaque, jwt] = [await service.token('opaque'), await service.token('jwt')];
  const form = ['Content-Type', 'application/x-www-form-urlencoded'] as const;
  const digestCredentials =
    'Digest username="user", realm="r", nonce="abc", uri="/digest", response="00000000000000000000000000000000", qop=auth, nc=00000001, cnonce="c"';
  const with_ = (value: string) => ['Authorization', value] as const;
  const heads = [
    text({ target: '/public/a?b=c' }),
    text({ target: '/orders/1', headers: [with_(`Bearer ${opaque}`)] }),
    text({
      target: '/orders/1',
      headers: [with_(`Bearer ${jwt}`), ['traceparent', `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`]],
    }),
    text({ target: `/orders/1?access_token=${jwt}&a=b` }),
    text({ method: 'POST', target: '/orders/1', headers: [form], body: `a=b&access_token=${jwt}` }),
    text({ method: 'POST', target: '/public/a', headers: [['Transfer-Encoding', 'chunked']] }) +
      '5\r\nhello\r\n0\r\n\r\n',
    text({ target: '/basic', headers: [with_('Basic dXNlcjpyaWdodA==')] }),
    text({ target: '/digest', headers: [with_(digestCredentials)] }),
    text({
      target: '/orders/1',
      headers: [
        ['X-Forwarded-For', '192.0.2.1, 127.0.0.1'],
        ['X-Forwarded-Proto', 'https'],
        ['X-Forwarded-Host', 'api.example.com'],
      ],
    }),
    text({
      target: '/public/ws',
      headers: [
        ['Connection', 'Upgrade'],
        ['Upgrade', 'websocket'],
        ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
        ['Sec-WebSocket-Version', '13'],
      ],
    }),
    text({ method: 'OPTIONS', target: '*' }),
    text({ target: 'http://api.example.com/public/a' }),
  ];
  const heard = await fuzz(
    gateway.port,
    { heads, words: ['Bearer', 'access_token', '../', 'alg', 'eyJhbGciOiJub25lIn0'] },
    31,
    REQUESTS / 2,
  );
  judge(t, heard, REQUESTS / 2, gateway.output());
  const good = await ask(
    gateway.port,
    requestText({ target: '/orders/1', headers: [with_(`Bearer ${await service.token('jwt')}`)] }),
  );
  t.equal(good.status, 200, 'it serves as before');
  t.ok(gateway.running, 'the process is the same');
  t.equal(await gateway.stop(), 0, 'and ends well when it is told to');
});

t.test('no mutated request ends the authorization service, or makes it throw', async (t) => {
  const service = await issuing(t, 'session: { enabled: true }\n');
  const form = ['Content-Type', 'application/x-www-form-urlencoded'] as const;
  const asClient = (id: string, secret: string) =>
    ['Authorization', `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`] as const;
  const shop = asClient('shop', 'cs_shop-secret-of-32-bytes-or-so');
  const gateway = asClient('gateway', 'cs_gateway-secret-of-32-bytes');
  const token = await service.token('opaque');
  const post = (target: string, body: string, ...headers: (readonly [string, string])[]) =>
    text({ method: 'POST', target, headers: [form, ...headers], body });
  const authorize = `/oauth2/authorize?response_type=code&client_id=app&redirect_uri=http://127.0.0.1/callback&scope=orders.read&state=xyz&code_challenge=${'a'.repeat(43)}&code_challenge_method=S256`;
  const heads = [
    post('/oauth2/token', 'grant_type=client_credentials&scope=orders.read&resource=https://api.example.com', shop),
    post(
      '/oauth2/token',
      `grant_type=authorization_code&code=ac_x&redirect_uri=http://127.0.0.1/callback&client_id=app&code_verifier=${'a'.repeat(43)}`,
    ),
    post('/oauth2/token', 'grant_type=refresh_token&refresh_token=rt_x', shop),
    post('/oauth2/token', 'grant_type=password&client_id=legacy&username=alice&password=x'),
    post('/oauth2/introspect', `token=${token}`, gateway),
    post('/oauth2/revoke', 'token=at_x', shop),
    text({ target: authorize }),
    post(
      '/oauth2/login',
      'username=alice&password=x&transaction=y',
      ['Cookie', 'a=b; __Host-session=x'],
      ['Origin', service.url],
    ),
    text({ target: '/.well-known/oauth-authorization-server', headers: [['If-None-Match', '"a", W/"b"']] }),
    text({ target: '/oauth2/jwks' }),
    text({ target: '/oauth2/events?wait=0&since=1', headers: [gateway] }),
    text({ target: '/oauth2/session?appid=shop&secret=x&js_code=y' }),
    text({
      target: '/oauth2/account',
      headers: [
        ['Cookie', 'session=x'],
        ['Accept-Language', 'de, en;q=0.5'],
      ],
    }),
    text({
      method: 'OPTIONS',
      target: '/oauth2/token',
      headers: [
        ['Origin', 'https://a.example'],
        ['Access-Control-Request-Method', 'POST'],
      ],
    }),
  ];
  const words = ['grant_type', 'client_id', 'state=', 'prompt=none', 'resource=', 'scope=', 'Basic ', '%F0%9F%98%80'];
  const heard = await fuzz(service.port, { heads, words }, 32, REQUESTS / 2);
  judge(t, heard, REQUESTS / 2, service.process.stdout() + service.process.stderr());
  const { child, ended } = service.process;
  t.ok(await service.token('jwt'), 'it serves as before');
  t.equal(child.exitCode, null, 'the process is the same');
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
  t.equal(await ended, 0, 'and ends well when it is told to');
});
