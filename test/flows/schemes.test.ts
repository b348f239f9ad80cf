import { createHash } from 'node:crypto';
import t, { type Test } from 'tap';
import { formatBasic } from '../../src/http-auth/basic.ts';
import { temporaryDirectory } from '../authorization/running-service.ts';
import { schemeContract } from '../contracts/schemes.ts';
import { caller, credentialsFor, nonceOf } from '../support/digest-caller.ts';
import { digestLines, userFile } from '../support/user-files.ts';

const { name: user, realm, password } = caller;
const passwords = { right: password, wrong: 'x' } as const;
const nowhere = (t: Test) => ({ storage: `sqlite:${temporaryDirectory(t)}/none.db` });
const sha1 = createHash('sha1').update(password).digest('base64');

schemeContract(t, 'Basic', {
  name: 'basic',
  challenge: /^Basic realm="r"/,
  user,
  block: (t) => ({ realm, users: userFile(t, `${user}:{SHA}${sha1}\n`), allow_insecure: true }),
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
  unreachable: (t) => ({ realm, users: nowhere(t) }),
  async present(url, path, secret) {
    const authorization = credentialsFor(path, await nonceOf(url + path), 1, passwords[secret]);
    const [, credential = ''] = /response="([^"]+)"/.exec(authorization) ?? [];
    return { path, headers: { authorization }, credential };
  },
});
