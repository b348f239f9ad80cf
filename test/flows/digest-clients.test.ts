import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { echoUpstream } from '../support/echo-upstream.ts';
import { behind, gateway, type TestGateway } from '../support/gateway.ts';
import { digestLines, userFile } from '../support/user-files.ts';

/** T50: client programs by other authors against a Digest route. Each limitation has its own row. */

const run = promisify(execFile);
const REALM = 'meters';
const [USER, PASSWORD] = ['Mufasa', 'Circle of Life'];

const offers = {
  'SHA-256 first, MD5 last': { algorithms: ['SHA-256', 'MD5'] },
  'SHA-256 only': { algorithms: ['SHA-256'] },
} as const;

async function meters(t: Test, digest: object): Promise<TestGateway> {
  const users = userFile(t, digestLines(USER, REALM, PASSWORD) + digestLines('Jäsøn', REALM, 'Secret, £'));
  const block = { realm: REALM, users, ...digest };
  const routes = [{ match: { path: '/meters/{rest*}' }, auth: 'digest', digest: block, access: 'authenticated' }];
  return gateway(t, behind(await echoUpstream(t), { routes }));
}

const missing = async (program: string, ...args: readonly string[]): Promise<false | string> =>
  run(program, [...args]).then(
    () => false as const,
    () => `${[program, ...args].join(' ')} is not there`,
  );

/** The Python in PATH, or the system's Python, whose modules come as packages. */
async function pythonWith(module: string): Promise<string | undefined> {
  for (const python of ['python3', '/usr/bin/python3'])
    if ((await missing(python, '-c', `import ${module}`)) === false) return python;
  return undefined;
}

const python = { requests: await pythonWith('requests'), httpx: await pythonWith('httpx') };
const without = (module: keyof typeof python) =>
  python[module] === undefined ? `there is no Python with ${module}` : false;
const skip = {
  curl: await missing('curl', '--version'),
  wget: await missing('wget', '--version'),
  requests: without('requests'),
  httpx: without('httpx'),
};

async function curl(url: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run('curl', ['-s', '--digest', '-u', `${USER}:${PASSWORD}`, ...args, url]);
  return stdout;
}

for (const [name, digest] of Object.entries(offers)) {
  t.test(`curl: ${name}`, { skip: skip.curl }, async (t) => {
    const { url } = await meters(t, digest);
    t.match(await curl(`${url}/meters/7?a=%20b&c`), /"url":"\/meters\/7\?a=%20b&c"/);
    const two = await curl(`${url}/meters/1`, `${url}/meters/2`);
    t.match(two, /"\/meters\/2".*"\/meters\/1"/s, 'one nonce serves two requests of a kept connection');
    t.match(await curl(`${url}/meters/7`, '-d', 'a=1&b=2'), /"body":"a=1&b=2"/);
    t.match(await curl(`${url}/meters/7`, '-u', 'Jäsøn:Secret, £'), /"x-auth-subject":"JÃ¤sÃ¸n"/);
    t.match(await curl(`${url}/meters/7`, '-u', `${USER}:wrong`), /"code":"password_wrong"/);
  });

  t.test(`python-requests: ${name}`, { skip: skip.requests }, async (t) => {
    const { url } = await meters(t, digest);
    const { stdout } = await run(python.requests ?? '', ['-c', REQUESTS, `${url}/meters/7?x=1`, USER, PASSWORD]);
    t.equal(stdout.trim(), '200 200 200 401');
  });

  t.test(`httpx: ${name}`, { skip: skip.httpx }, async (t) => {
    const { url } = await meters(t, digest);
    const { stdout } = await run(python.httpx ?? '', ['-c', HTTPX, `${url}/meters/7?x=1`, USER, PASSWORD]);
    t.equal(stdout.trim(), '200 200 200 401');
  });
}

t.test('wget supports only MD5', { skip: skip.wget }, async (t) => {
  const args = ['-q', '-O-', `--user=${USER}`, `--password=${PASSWORD}`];
  const both = await meters(t, offers['SHA-256 first, MD5 last']);
  const { stdout } = await run('wget', [...args, `${both.url}/meters/7`]);
  t.match(stdout, /"url":"\/meters\/7"/);
  const one = await meters(t, offers['SHA-256 only']);
  await t.rejects(run('wget', [...args, `${one.url}/meters/7`]), { code: 6 });
});

const REQUESTS = `
import sys, requests
from requests.auth import HTTPDigestAuth
url, user, password = sys.argv[1:]
session = requests.Session()
session.auth = HTTPDigestAuth(user, password)
codes = [session.get(url).status_code, session.get(url).status_code, session.post(url, data="a=1").status_code]
codes.append(requests.get(url, auth=HTTPDigestAuth(user, "wrong")).status_code)
print(*codes)
`;

const HTTPX = `
import sys, httpx
url, user, password = sys.argv[1:]
with httpx.Client(auth=httpx.DigestAuth(user, password)) as client:
    codes = [client.get(url).status_code, client.get(url).status_code, client.post(url, content="a=1").status_code]
codes.append(httpx.get(url, auth=httpx.DigestAuth(user, "wrong")).status_code)
print(*codes)
`;
