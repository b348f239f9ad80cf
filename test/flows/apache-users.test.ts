import { execFile, spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { loadGatewayText } from '../../src/config/load/load.ts';
import { echoUpstream } from '../support/echo-upstream.ts';
import { behind, gateway } from '../support/gateway.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { userFile } from '../support/user-files.ts';

const present = (tool: string) => spawnSync(tool, [], { timeout: 5_000 }).error === undefined;
const skip = !(present('htpasswd') && present('htdigest') && present('curl')) && 'no tools of Apache, or no curl';
const PASSWORD = 'Circle: of "Life"';

/** A line as Apache's own tool prints it. */
function htpasswd(kind: string, name: string): string {
  const { stdout, stderr, status } = spawnSync('htpasswd', [`-nb${kind}`, name, PASSWORD], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** A file as Apache's own tool writes it. The tool prompts for the password twice. */
function htdigest(t: Test, realm: string, name: string): string {
  const folder = temporaryFolder(t);
  const file = join(folder, 'users.htdigest');
  const args = ['htdigest', '-c', file, realm, name];
  const { status, stderr } = spawnSync('setsid', args, { input: `${PASSWORD}\n${PASSWORD}\n`, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  chmodSync(file, 0o600);
  return file;
}

async function curl(scheme: '--basic' | '--digest', url: string, name: string, password: string): Promise<string> {
  const args = ['-s', '-o', '/dev/null', '-w', '%{http_code}', scheme, '-u', `${name}:${password}`, url];
  return (await promisify(execFile)('curl', args)).stdout;
}

t.test('files of htpasswd (-B, -m, -s) and htdigest work as Apache writes them', { skip }, async (t) => {
  const kinds = { bob: 'B', mia: 'm', sue: 's' };
  const lines = Object.entries(kinds).map(([name, kind]) => htpasswd(kind, name));
  const routes = [
    {
      match: { path: '/basic' },
      auth: 'basic',
      basic: { realm: 'hooks', users: userFile(t, `${lines.join('\n')}\n`) },
      access: 'authenticated',
    },
    {
      match: { path: '/digest' },
      auth: 'digest',
      digest: { realm: 'meters', users: htdigest(t, 'meters', 'alice'), algorithms: ['MD5'] },
      access: 'authenticated',
    },
  ];
  const { url } = await gateway(t, behind(await echoUpstream(t), { routes }));
  for (const name of Object.keys(kinds)) {
    t.equal(await curl('--basic', `${url}/basic`, name, PASSWORD), '200', name);
    t.equal(await curl('--basic', `${url}/basic`, name, 'wrong'), '401', name);
  }
  t.equal(await curl('--digest', `${url}/digest`, 'alice', PASSWORD), '200');
  t.equal(await curl('--digest', `${url}/digest`, 'alice', 'wrong'), '401');
});

t.test('a line with crypt(3) is rejected with its place when the file is loaded', { skip }, async (t) => {
  for (const kind of ['d', '5']) {
    const users = userFile(t, `${htpasswd('B', 'bob')}\n${htpasswd(kind, 'old')}\n`);
    const loaded = loadGatewayText(`version: 1
listen: 127.0.0.1:8080
upstreams: { a: { url: http://127.0.0.1:9000 } }
routes:
  - { match: { path: /a }, upstream: a, auth: basic, access: authenticated, basic: { realm: r, users: ${users} } }
`);
    t.equal(loaded.ok, false, kind);
    t.match(loaded.ok ? '' : loaded.problems.map(({ message }) => message).join('\n'), /:2\b.*|line 2/s, kind);
  }
});
