import { createHash } from 'node:crypto';
import t, { type Test } from 'tap';
import { makeApiKey } from '../../src/http-auth/api-key.ts';
import { formatBasic } from '../../src/http-auth/basic.ts';
import { schemeContract } from '../contracts/schemes.ts';
import { apiKeyFile, apiKeyLine } from '../support/api-key-files.ts';
import { caller, credentialsFor, nonceOf } from '../support/digest-caller.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { digestLines, userFile } from '../support/user-files.ts';

const { name: user, realm, password } = caller;
const passwords = { right: password, wrong: 'x' } as const;
const nowhere = (t: Test) => ({ storage: `sqlite:${temporaryFolder(t)}/none.db` });
const sha1 = createHash('sha1').update(password).digest('base64');

schemeContract(t, 'Basic', {
  name: 'basic',
  challenge: /^Basic realm="r"/,
  user,
  block: (t) => ({ realm, users: userFile(t, `${user}:{SHA}${sha1}\n`), allow_insecure: true }),
  wrong: 'password_wrong',
  unreachable: (t) => ({ realm, users: nowhere(t), allow_insecure: true }),
  async present(_url, path, secret) {
    const authorization = formatBasic(user, passwords[secret]);
    return { path, headers: { authorization }, credential: authorization.slice('Basic '.length) };
  },
});

schemeContract(t, 'Digest', {
  name: 'digest',
  challenge: /^Digest realm="r"/,
  user,
  block: (t) => ({ realm, users: userFile(t, digestLines(user, realm, password)) }),
  wrong: 'password_wrong',
  unreachable: (t) => ({ realm, users: nowhere(t) }),
  async present(url, path, secret) {
    const authorization = credentialsFor(path, await nonceOf(url + path), 1, passwords[secret]);
    const [, credential = ''] = /response="([^"]+)"/.exec(authorization) ?? [];
    return { path, headers: { authorization }, credential };
  },
});

const keys = { right: makeApiKey(), wrong: makeApiKey() } as const;
const placed = {
  header: (path: string, key: string) => ({ path, headers: { 'x-key': key } }),
  query: (path: string, key: string) => ({ path: `${path}&x-key=${key}`, headers: {} }),
} as const;

for (const place of ['header', 'query'] as const)
  schemeContract(t, `API keys in a ${place}`, {
    name: 'api_key',
    challenge: new RegExp(`^ApiKey realm="r", ${place}="x-key"$`),
    user,
    block: (t) => ({ realm, in: place, name: 'x-key', keys: apiKeyFile(t, apiKeyLine(keys.right, user)) }),
    others: (t) => ({ realm, in: place, name: 'x-key', keys: apiKeyFile(t, apiKeyLine(keys.right, 'other')) }),
    wrong: 'api_key_invalid',
    unreachable: (t) => ({ realm, in: place, name: 'x-key', keys: nowhere(t) }),
    async present(_url, path, secret) {
      return { ...placed[place](path, keys[secret]), credential: keys[secret] };
    },
  });
