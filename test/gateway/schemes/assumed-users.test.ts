import { basename, dirname } from 'node:path';
import t from 'tap';
import { digestLines, userFile } from '../../support/user-files.ts';
import { headOf } from '../head.ts';
import { assumedOf, firstTaken, gatewayWith } from './taken.ts';

const basicLine = 'alice:{SHA}y/waJdy9m/a+D8VTRQ/e2awAzpQ=\n';

t.test("a Digest user is assumed with the user's scope, in the realm of the block", async (t) => {
  const users = userFile(t, digestLines('alice', 'd', 'x'));
  const { identityOf, wrong, refusal } = assumedOf('digest', { realm: 'd', users, scopes: { alice: 'read write' } });
  t.match(identityOf('alice'), {
    scheme: 'digest',
    issuer: 'digest:d',
    subject: 'alice',
    scopes: new Set(['read', 'write']),
  });
  t.strictSame(identityOf('bob').scopes, new Set());
  t.equal(wrong, undefined, 'what is wrong is a password');
  t.equal(refusal, undefined, 'it may come over any wire');
});

t.test('an assumed Digest challenge is what a client would get, with words instead of secrets', async (t) => {
  const users = userFile(t, digestLines('alice', 'd', 'x'));
  const block = { realm: 'd', users, algorithms: ['MD5', 'SHA-256'], qop: ['auth'], domain: ['/a', '/b'] };
  const line = (algorithm: string) =>
    `Digest realm="d", domain="/a /b", qop="auth", algorithm=${algorithm}, nonce="NONCE", opaque="OPAQUE", charset=UTF-8, userhash=true`;
  t.strictSame(assumedOf('digest', block).challenges(), [line('SHA-256'), line('MD5')], 'the strongest first');
  t.notMatch(
    assumedOf('digest', { ...block, domain: undefined })
      .challenges()
      .join(),
    'domain',
  );
});

t.test(
  'a user whose hashes match no offered algorithm is refused, and the message says which hash to add',
  async (t) => {
    const users = userFile(t, digestLines('old', 'd', 'x', ['MD5']) + digestLines('new', 'd', 'x', ['SHA-256']));
    const refusalOf = (user: string, algorithms: readonly string[]) => {
      const assumed = assumedOf('digest', { realm: 'd', users, algorithms }, '/');
      return assumed.refusalOf?.(user);
    };
    t.strictSame(refusalOf('old', ['SHA-256', 'SHA-512-256']), {
      kind: 'refused',
      code: 'password_wrong',
      detail:
        'the file hashes the password of this user with MD5, but the route offers SHA-256 and SHA-512-256: add a hash that the route offers, or change `digest.algorithms`',
    });
    t.equal(refusalOf('new', ['SHA-256', 'SHA-512-256']), undefined);
    t.equal(refusalOf('old', ['MD5', 'SHA-256']), undefined);
    t.equal(refusalOf('old', ['MD5-sess']), undefined, 'a session uses the same hash');
    t.equal(refusalOf('nobody', ['SHA-256']), undefined, 'a user who is not in the file is assumed');
  },
);

t.test("every hash of a user counts, only in the user's realm", async (t) => {
  const two = digestLines('alice', 'd', 'x', ['MD5', 'SHA-512-256']);
  const elsewhere = digestLines('alice', 'other', 'x', ['SHA-256']) + digestLines('bob', 'd', 'x', ['SHA-256']);
  const { refusalOf } = assumedOf('digest', { realm: 'd', users: userFile(t, two + elsewhere) }, '/');
  t.match(refusalOf?.('alice'), {
    detail: /^the file hashes the password of this user with MD5 and SHA-512-256, but the route offers SHA-256:/,
  });
  t.equal(refusalOf?.('bob'), undefined);
});

t.test('the file of users is found relative to the configuration, and only if its place is known', async (t) => {
  const users = userFile(t, digestLines('old', 'd', 'x', ['MD5']));
  const config = gatewayWith('digest', { realm: 'd', users });
  const { row, block } = firstTaken(config);
  const relative = { ...(block as object), users: basename(users) };
  t.match(row.assume(relative, config, dirname(users)).refusalOf?.('old'), { code: 'password_wrong' });
  t.equal(row.assume(relative, config, '/').refusalOf?.('old'), undefined, 'there is no such file');
  t.equal(row.assume(block, config).refusalOf, undefined);
  const stored = { realm: 'd', users: { storage: 'sqlite:/none/gatehouse.db' } };
  t.equal(assumedOf('digest', stored, '/').refusalOf, undefined, 'a store is never asked');
});

t.test('a Basic user is assumed in the realm of the block, or of the file', async (t) => {
  const users = userFile(t, basicLine);
  const more = { realm: 'file' };
  const own = assumedOf('basic', { users, realm: 'own', allow_insecure: true, scopes: { alice: 'read' } }, '/', more);
  t.match(own.identityOf('alice'), { scheme: 'basic', issuer: 'basic:own', scopes: new Set(['read']) });
  t.strictSame(own.challenges(), ['Basic realm="own"']);
  const fallback = assumedOf('basic', { users, charset: 'UTF-8', allow_insecure: true }, '/', more);
  t.match(fallback.identityOf('alice'), { issuer: 'basic:file', scopes: new Set() });
  t.strictSame(fallback.challenges(), ['Basic realm="file", charset="UTF-8"']);
});

t.test('an assumed password needs TLS if strangers could send it, unless the file allows it', async (t) => {
  const users = userFile(t, basicLine);
  const told = (listen: string, secure: boolean, allow_insecure = false) => {
    const { origin, ...head } = headOf();
    const tls = { trusted_proxies: ['192.0.2.0/24'], listen };
    return assumedOf('basic', { users, allow_insecure }, '/', tls).refusal?.({
      ...head,
      origin: { ...origin, secure },
    });
  };
  t.match(told('0.0.0.0:8080', false), { kind: 'refused', code: 'transport_insecure' });
  t.equal(told('0.0.0.0:8080', true), undefined);
  t.equal(told('0.0.0.0:8080', false, true), undefined);
  t.equal(told('127.0.0.1:8080', false), undefined, 'only this machine can send it');
});
