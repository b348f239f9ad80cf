import t, { type Test } from 'tap';
import { formatDigest } from '../../src/http-auth/digest.ts';
import { digestResponse, storedHash } from '../../src/http-auth/digest-response.ts';
import { asks, problemOf, type Received, shapes, statusOf } from '../support/asking.ts';
import { behind, gateway } from '../support/gateway.ts';
import { digestLines, userFile } from '../support/user-files.ts';
import { witness } from '../support/witness.ts';

async function opened(t: Test, qop: readonly string[] = ['auth']) {
  const { url } = await witness(t);
  const digest = {
    realm: 'r',
    users: userFile(t, digestLines('alice', 'r', 'wonderland')),
    algorithms: ['SHA-256'],
    qop,
    // The information of a proxy that forwards; for a proxy that sends only the target, the target itself counts.
    uri_from: ['X-Original-URI', 'X-Forwarded-Prefix'],
  };
  const users = userFile(t, `alice:{SHA}${sha1}\n`);
  const routes = [
    { id: 'digest', match: { path: '/digest/{rest*}' }, auth: 'digest', digest, access: 'authenticated' },
    { id: 'basic', match: { path: '/basic' }, auth: 'basic', basic: { realm: 'r', users }, access: 'authenticated' },
  ];
  return gateway(t, behind(url, { decision: { listen: '127.0.0.1:0' }, trusted_proxies: ['127.0.0.1'], routes }));
}

/** The hash of `wonderland`, as htpasswd -s writes it. */
const sha1 = 'tiY7sUhYKUwI5L3866kDY+ENcrQ=';
const ha1 = storedHash('SHA-256', 'alice', 'r', 'wonderland');

interface Signed {
  readonly uri: string;
  readonly method?: string;
  readonly qop?: 'auth' | 'auth-int';
  readonly count?: number;
}

function digestHeader(nonce: string, { uri, method = 'GET', qop = 'auth', count = 1 }: Signed) {
  const protection = { qop, nc: count.toString(16).padStart(8, '0') };
  const input = { nonce, uri, cnonce: 'c', protection, algorithm: 'SHA-256' } as const;
  const entity = qop === 'auth-int' ? Buffer.alloc(0) : undefined;
  const response = digestResponse({ ...input, ha1, method, entity });
  const credentials = { ...input, username: 'alice', userhash: false, realm: 'r', response, opaque: undefined };
  return ['Authorization', formatDigest(credentials)] as const;
}

for (const [name, shape] of Object.entries(shapes)) {
  const nonceOf = async (running: { readonly decisionUrl: string | undefined }) => {
    const refused = await asks(running, shape({ target: '/digest/1' }));
    return /nonce="([^"]+)"/.exec(refused.header('www-authenticate') ?? '')?.[1] ?? '';
  };

  t.test(
    `${name}: the uri of Digest is the target that the proxy received, and each response needs a decision request`,
    async (t) => {
      const running = await opened(t);
      const nonce = await nonceOf(running);
      const said = async (received: Received) => {
        const response = await asks(running, shape(received));
        return response.status === 200 ? 200 : `${statusOf(response)} ${problemOf(response).code}`;
      };
      const first = digestHeader(nonce, { uri: '/digest/1?a=b' });
      const response = await asks(running, shape({ target: '/digest/1?a=b', headers: [first] }));
      t.strictSame([response.status, response.header('x-auth-subject')], [200, 'alice']);
      t.match(response.header('authentication-info'), /rspauth=/);
      t.equal(response.header('cache-control'), 'no-store', 'a count is never remembered');
      t.equal(await said({ target: '/digest/1?a=b', headers: [first] }), '401 nonce_replayed');
      const second = digestHeader(nonce, { uri: '/digest/1', count: 2 });
      t.equal(await said({ target: '/digest/2', headers: [second] }), '400 digest_uri');
      const forged: Received['headers'] = [second, ['X-Forwarded-Prefix', '/digest'], ['X-Original-URI', '/digest/1']];
      if (name !== 'nginx/uri') t.equal(await said({ target: '/digest/2', headers: forged }), '400 digest_uri');
    },
  );

  t.test(
    `${name}: algorithms that hash a body are refused if there may be one, and this does not count as a guess`,
    async (t) => {
      const running = await opened(t, ['auth', 'auth-int']);
      const target = '/digest/1';
      const nonce = await nonceOf(running);
      const get = digestHeader(nonce, { uri: target, qop: 'auth-int' });
      t.equal((await asks(running, shape({ target, headers: [get] }))).status, 200);
      const post = digestHeader(nonce, { uri: target, method: 'POST', qop: 'auth-int', count: 2 });
      const refused = await asks(running, shape({ method: 'POST', target, headers: [post] }));
      t.strictSame([statusOf(refused), problemOf(refused).code], [413, 'integrity_too_large']);
    },
  );

  t.test(
    `${name}: Basic needs TLS at the proxy; without an address or a scheme from the proxy it is refused`,
    async (t) => {
      const running = await opened(t);
      const headers = [['Authorization', `Basic ${btoa('alice:wonderland')}`] as const];
      const ask = (received: Received) => asks(running, shape({ target: '/basic', headers, ...received }));
      t.equal((await ask({ scheme: 'https' })).status, 200);
      t.equal(problemOf(await ask({ scheme: 'http' })).code, 'transport_insecure');
      const wrong = [['Authorization', `Basic ${btoa('alice:x')}`] as const];
      t.equal(problemOf(await ask({ headers: wrong })).code, 'password_wrong');
      const bytes = shape({ target: '/basic', scheme: 'http', headers }).toString('latin1');
      const untold = bytes.replace(/^x-(?:forwarded-for|forwarded-proto): .*\r\n/gim, '');
      t.equal(problemOf(await asks(running, Buffer.from(untold, 'latin1'))).code, 'transport_insecure');
      t.equal(problemOf(await ask({ scheme: 'http', address: 'unknown' })).code, 'transport_insecure');
    },
  );
}
