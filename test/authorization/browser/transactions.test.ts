import { randomBytes } from 'node:crypto';
import t from 'tap';
import { buildPageSeal } from '../../../src/authorization/browser/page-seal.ts';
import { buildTransactions, type Transaction } from '../../../src/authorization/browser/transactions.ts';

const withSecret = (secret: Uint8Array) => buildTransactions(buildPageSeal(secret));
const transactions = withSecret(randomBytes(32));
const login: Transaction = {
  kind: 'login',
  parameters: [['state', 'a ü ✓']],
  browser: 'b',
  id: 'one',
  expiresAt: 1_800_000_000,
};

t.test('a transaction opens unchanged with the same secret and for the same kind of page', async (t) => {
  const sealed = transactions.seal(login);
  t.strictSame(transactions.open(sealed, 'login'), login);
  t.equal(transactions.open(sealed, 'consent'), undefined);
  t.equal(withSecret(randomBytes(32)).open(sealed, 'login'), undefined);
  t.not(transactions.seal(login), sealed, 'no two are alike');
  t.notMatch(Buffer.from(sealed, 'base64url').toString('latin1'), /state/);
});

t.test('a transaction with any changed bit, or with an added or removed byte, does not open', async (t) => {
  const bytes = Buffer.from(transactions.seal(login), 'base64url');
  const opens = (changed: Uint8Array) => transactions.open(Buffer.from(changed).toString('base64url'), 'login');
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    if (opens(changed) !== undefined) t.fail(`bit ${bit}`);
  }
  for (let length = 0; length < bytes.length; length++)
    if (opens(bytes.subarray(0, length)) !== undefined) t.fail(`cut to ${length}`);
  t.equal(opens(Buffer.concat([bytes, Buffer.alloc(1)])), undefined);
  t.equal(transactions.open('', 'login'), undefined);
});
