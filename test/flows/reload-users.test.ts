import { writeFileSync } from 'node:fs';
import t from 'tap';
import { formatBasic } from '../../src/http-auth/basic.ts';
import { formatDigest } from '../../src/http-auth/digest.ts';
import { digestResponse, storedHash } from '../../src/http-auth/digest-response.ts';
import { echoUpstream } from '../support/echo-upstream.ts';
import { behind } from '../support/gateway.ts';
import { reloadable } from '../support/reloadable.ts';
import { digestLines, userFile } from '../support/user-files.ts';

/** As Apache's htpasswd wrote it for these two users. */
const [RIGHT, HASH] = ['Circle of Life', '{SHA}y/waJdy9m/a+D8VTRQ/e2awAzpQ='];
const OTHER = '$apr1$3kA34sJH$OcSKl5/gHvFCs916S47di1';

async function statusOf(url: string, authorization: string): Promise<number> {
  const response = await fetch(url, { headers: { authorization } });
  await response.arrayBuffer();
  return response.status;
}

t.test('the old password is wrong from the reload on, although it was right a moment ago', async (t) => {
  const users = userFile(t, `alice:${HASH}\n`);
  const route = { match: { path: '/a' }, auth: 'basic', basic: { users }, access: 'authenticated' };
  const running = await reloadable(t, behind(await echoUpstream(t), { routes: [route] }));
  const status = (password: string) => statusOf(`${running.url}/a`, formatBasic('alice', password));
  t.strictSame([await status(RIGHT), await status('x')], [200, 401]);
  writeFileSync(users, `alice:${OTHER}\n`);
  t.match(await running.reload(), { ok: true });
  t.strictSame([await status(RIGHT), await status('x')], [401, 200]);
  writeFileSync(users, 'alice\n');
  t.match(await running.reload(), { ok: false, problems: [{ message: /users:1: this is not `user:hash`/ }] });
  t.equal(await status('x'), 200, 'a bad file changes nothing');
});

t.test('a reload forgets no count of a nonce', async (t) => {
  const users = userFile(t, digestLines('alice', 'r', 'wonderland'));
  const block = { realm: 'r', users };
  const route = { match: { path: '/a' }, auth: 'digest', digest: block, access: 'authenticated' };
  const body = behind(await echoUpstream(t), { routes: [route] });
  const running = await reloadable(t, body);
  const challenge = await fetch(`${running.url}/a`);
  await challenge.arrayBuffer();
  const nonce = /nonce="([^"]+)"/.exec(challenge.headers.get('www-authenticate') ?? '')?.[1] ?? '';
  const ha1 = storedHash('SHA-256', 'alice', 'r', 'wonderland');
  const status = (nc: string) => {
    const protection = { qop: 'auth', nc } as const;
    const said = { nonce, uri: '/a', cnonce: 'c', protection, algorithm: 'SHA-256' } as const;
    const response = digestResponse({ ...said, ha1, method: 'GET' });
    const credentials = { ...said, username: 'alice', userhash: false, realm: 'r', response, opaque: undefined };
    return statusOf(`${running.url}/a`, formatDigest(credentials));
  };
  t.equal(await status('00000001'), 200);
  t.match(await running.take({ ...body, realm: 'another' }), { ok: true });
  t.strictSame([await status('00000001'), await status('00000002')], [401, 200]);
});
