import t from 'tap';
import { buildAuthorization } from '../../src/authorization/authorization.ts';
import { buildLog } from '../../src/base/log.ts';
import { commands } from '../commands/administered.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { clientsWith } from './browser/walk.ts';
import { collector, configuration, passwordHash, run } from './running-service.ts';

// each command is a separate process

t.test('a client that a command adds never has the subject of a user of the file or the store', async (t) => {
  const directory = temporaryFolder(t);
  const alice = `{ username: alice, subject: a-1, password_argon2: '${passwordHash('x')}' }`;
  const { gatehouse, json } = commands(directory, `users: [${alice}]\n`);
  const { sub } = json(['user', 'add', 'carol'], 'correct horse\n');
  const add = (id: string) => gatehouse(['client', 'add', '--id', id, '--grant-type', 'client_credentials']);
  for (const [id, username] of [
    ['a-1', 'alice'],
    [sub, 'carol'],
  ]) {
    const { status, stdout, stderr } = add(id);
    t.strictSame([status, stdout], [1, '']);
    t.match(stderr, `${id} is the subject of the user ${username}`);
    t.match(stderr, /RFC 9068 §5\): choose another id/);
  }
  t.equal(add('alice').status, 0, 'a username is no subject');
});

t.test('a service whose file and store share a subject does not start, and names the remedy', async (t) => {
  const directory = temporaryFolder(t);
  const { service } = await run(t, { directory, config: { users: [] } });
  const client = { metadata: { grant_types: ['client_credentials'] }, secrets: [], createdAt: 1 };
  await service.records.addClient({ id: 'alice', ...client });
  const dave = { subject: 'd-1', username: 'dave', passwordHash: passwordHash('x'), name: undefined, claims: {} };
  await service.records.addAccount({ ...dave, createdAt: 1 });
  const log = buildLog({ level: 'info', format: 'json' }, collector().sink);
  const refused = (config = configuration()) => buildAuthorization(config, { directory, log });
  await t.rejects(refused(), { name: 'StorageUnusable', message: /`gatehouse client remove alice`/ });
  const clients = clientsWith({ client_id: 'd-1', grant_types: [] });
  await t.rejects(refused(configuration({ users: [], clients })), {
    name: 'StorageUnusable',
    message: /the id of the client d-1 in the file is also the subject of the user dave.*`gatehouse user remove dave`/,
  });
  const running = await refused(configuration({ users: [] }));
  await running.stop();
});
