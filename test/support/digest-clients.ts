import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A client program by other authors. */
export interface DigestClient {
  readonly name: string;
  /** False, or why it cannot run. */
  readonly skip: false | string;
  /** Whether the client gets a 200. */
  get(url: string, username: string, password: string): Promise<boolean>;
}

const succeeds = (program: string, args: readonly string[]): Promise<boolean> =>
  run(program, [...args]).then(
    () => true,
    () => false,
  );

async function missing(program: string): Promise<false | string> {
  return (await succeeds(program, ['--version'])) ? false : `${program} is not there`;
}

/** The Python in PATH, or the system's Python, whose modules come as packages. */
async function pythonWith(module: string): Promise<string | undefined> {
  for (const python of ['python3', '/usr/bin/python3'])
    if (await succeeds(python, ['-c', `import ${module}`])) return python;
  return undefined;
}

const scripts = {
  requests: `
import sys, requests
from requests.auth import HTTPDigestAuth
url, user, password = sys.argv[1:]
sys.exit(0 if requests.get(url, auth=HTTPDigestAuth(user, password)).status_code == 200 else 1)
`,
  httpx: `
import sys, httpx
url, user, password = sys.argv[1:]
sys.exit(0 if httpx.get(url, auth=httpx.DigestAuth(user, password)).status_code == 200 else 1)
`,
} as const;

async function pythonClient(module: keyof typeof scripts): Promise<DigestClient> {
  const python = await pythonWith(module);
  return {
    name: module,
    skip: python === undefined ? `there is no Python with ${module}` : false,
    get: (url, username, password) => succeeds(python ?? '', ['-c', scripts[module], url, username, password]),
  };
}

/** All except the browser, which each test file starts itself. */
export async function digestClients(): Promise<readonly DigestClient[]> {
  return [
    {
      name: 'curl',
      skip: await missing('curl'),
      get: (url, username, password) => succeeds('curl', ['-sf', '--digest', '-u', `${username}:${password}`, url]),
    },
    {
      name: 'wget',
      skip: await missing('wget'),
      get: (url, username, password) =>
        succeeds('wget', ['-q', '-O-', '--tries=1', `--user=${username}`, `--password=${password}`, url]),
    },
    await pythonClient('requests'),
    await pythonClient('httpx'),
  ];
}
