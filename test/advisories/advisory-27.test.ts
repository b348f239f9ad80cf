import { createHash } from 'node:crypto';
import t from 'tap';
import { systemClock } from '../../src/base/clock.ts';
import { parseHtpasswd } from '../../src/config/files/htpasswd.ts';
import { basicScheme } from '../../src/gateway/schemes/basic/basic-scheme.ts';
import { basicUsersOfFile } from '../../src/gateway/schemes/basic/basic-users.ts';
import { openPasswordJudge } from '../../src/gateway/schemes/password-judge.ts';
import { formatBasic } from '../../src/http-auth/basic.ts';
import { headOf } from '../gateway/head.ts';
import { isFullSize } from '../support/long.ts';
import { random } from '../support/random.ts';

/** CVE-2026-71326: two credentials had one key, and one of them got the identity of the other. */

const throttle = { attempt: () => ({ retryAfter: undefined, fail: () => undefined }) };
/** Every way to split this into a name and a password. Joined, all are the same text. */
const TEXT = 'abababababab';
const ends = Array.from({ length: TEXT.length - 1 }, (_, index) => index + 1);
const dice = random(27);
const sha = (password: string) => `{SHA}${createHash('sha1').update(password).digest('base64')}`;

/** A thousand pairs each; the requirement names a hundred thousand. */
const ROUNDS = isFullSize ? 100 : 10;

t.test('advisory 27: each of many pairs that arrive together gets its own answer', async (t) => {
  const judge = openPasswordJudge();
  t.teardown(() => judge.close());
  // every second user has the rest of the text as password, the others have another password
  const lines = ends.map((end) => `${TEXT.slice(0, end)}:${sha(end % 2 === 0 ? TEXT.slice(end) : 'x')}\n`);
  const users = basicUsersOfFile(parseHtpasswd(lines.join('')).users);
  const config = { users: '', scopes: {}, allow_insecure: true };
  let wrong = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const scheme = basicScheme({ config, realm: 'r', users, judge, throttle, share: 1, clock: systemClock });
    const asked = Array.from({ length: 1000 }, () => dice.pick(ends));
    const answers = await Promise.all(
      asked.map(async (end) => {
        const value = formatBasic(TEXT.slice(0, end), TEXT.slice(end));
        return scheme.verify({ value, head: headOf(['Host', 'a']), entity: undefined });
      }),
    );
    for (const [index, answer] of answers.entries()) {
      const end = asked[index] ?? 1;
      const subject = answer.kind === 'verified' ? answer.identity.subject : undefined;
      if (subject !== (end % 2 === 0 ? TEXT.slice(0, end) : undefined)) wrong++;
    }
  }
  t.equal(wrong, 0, `of ${ROUNDS} thousand pairs`);
});
