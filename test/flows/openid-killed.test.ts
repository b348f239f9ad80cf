import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { openTab } from '../authorization/browser/walk.ts';
import { loggedInAt } from '../authorization/openid/provider.ts';
import { passwordHash, requests } from '../authorization/running-service.ts';
import { ready, spawnService } from '../authorization/service-process.ts';
import { freePort } from '../support/free-port.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

/** Starts a service twice, and waits until the notice of the killed one is free: six seconds. */
t.setTimeout(90_000);

const secret = 'cs_rp-secret-of-32-bytes-or-more!';
const callback = 'https://shop.example.com/callback';

const text = (port: number, party: string) => `version: 1
issuer: http://127.0.0.1:${port}
listen: 127.0.0.1:${port}
storage: sqlite:gatehouse.db
resources: [https://api.example.com]
openid: { enabled: true }
outbound: { private_addresses: [127.0.0.0/8], timeout: 500ms }
clients:
  - { client_id: rp, client_secret: ${secret}, scope: openid, grant_types: [authorization_code], redirect_uris: ['${callback}'], backchannel_logout_uri: '${party}' }
users:
  - { username: alice, password_argon2: '${passwordHash('wonderland')}' }
`;

/** Hears each logout token, and answers only when it may. */
async function silentParty(t: Test) {
  const party = { url: '', tokens: [] as string[], answers: false };
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      party.tokens.push(new URLSearchParams(body).get('logout_token') ?? '');
      if (party.answers) response.writeHead(204).end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  party.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return party;
}

const jtiOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).jti;

t.test('kill -9 while a logout token is on its way: the next process sends it again, with the same jti', async (t) => {
  const party = await silentParty(t);
  const [directory, port] = [temporaryFolder(t), await freePort()];
  const file = join(directory, 'authorization.yaml');
  writeFileSync(file, text(port, party.url));
  const first = spawnService(t, file);
  const url = await ready(first);
  const tab = openTab({ url });
  const { id_token } = await loggedInAt(requests(url), tab);
  await tab.get(`/oauth2/logout?id_token_hint=${id_token}`);
  t.ok(await until(() => party.tokens.length === 1));
  first.child.kill('SIGKILL');
  await first.ended;
  party.answers = true;
  await ready(spawnService(t, file));
  t.ok(await until(() => party.tokens.length === 2));
  t.equal(new Set(party.tokens.map(jtiOf)).size, 1);
});
