import t from 'tap';
import { sha256 } from '../../src/base/secret.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { beside, commands } from './administered.ts';

// each command is a separate process
/** Opens services: 10 s on a busy machine. */
t.setTimeout(120_000);

t.test('a client with keys is added without a secret, and under the rules of the file', async (t) => {
  const { service, gatehouse, json } = await beside(t);
  const keys = ['--jwks-uri', 'https://app.example.com/jwks.json'];
  const added = json(['client', 'add', '--id', 'signer', ...keys, '--grant-type', 'client_credentials']);
  t.strictSame(added, { client_id: 'signer', client_secret_expires_at: 0 });
  t.match(await service.service.clients.find('signer'), {
    isPublic: false,
    secretHashes: [],
    assertionKeys: { jwksUri: 'https://app.example.com/jwks.json' },
  });
  const wrong = gatehouse(['client', 'add', '--jwks-uri', 'http://app.example.com/jwks.json', '--events']);
  t.equal(wrong.status, 1);
  t.match(wrong.stderr, /others can read and change http traffic/);
  t.match(
    wrong.stderr,
    /`events` needs a client that has a secret and sends the secret by Basic: leave out `--jwks-uri`/,
  );
});

t.test('a client that registered itself is listed, shown and removed by commands', async (t) => {
  const { service, gatehouse, json } = await beside(t);
  const { records } = service.service;
  const metadata = {
    client_name: 'Agent',
    redirect_uris: ['https://a.example/cb'],
    grant_types: ['authorization_code'],
  };
  const registration = { tokenHash: sha256('token'), usedAt: 1_800_000_000 };
  await records.addClient({
    id: 'own',
    metadata: { ...metadata, public: true },
    secrets: [],
    createdAt: 1,
    registration,
  });
  t.match(gatehouse(['client', 'list']).stdout, /own\s+Agent\s+authorization_code\s+-\s+itself/);
  t.match(json(['client', 'show', 'own']), { registered: 'itself', public: true });
  t.match(json(['client', 'remove', 'own']), { removed: true });
  t.equal(await records.findClient('own', 0), undefined);
});

t.test('the tokens of a client with a document can be revoked, where documents are on', async (t) => {
  const id = 'https://app.example.com/client.json';
  const on = commands(temporaryFolder(t), 'registration: { cimd: { enabled: true, scope: orders.read } }\n');
  t.match(on.json(['client', 'revoke-tokens', id]), { client_id: id, revoked: true });
  const off = commands(temporaryFolder(t));
  t.match(off.gatehouse(['client', 'revoke-tokens', id]).stderr, /there is no client/);
});
