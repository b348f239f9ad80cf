import t from 'tap';
import { redactTarget } from '../../../src/gateway/explain/upstream-request.ts';

const hidden: readonly (readonly [target: string, shown: string])[] = [
  ['/a?access_token=x&y=1', '/a?access_token=[redacted]&y=1'],
  ['/a?y=1&access%5Ftoken=x', '/a?y=1&access%5Ftoken=[redacted]'],
  ['/a?key=x', '/a?key=[redacted]'],
  ['/a?y=1;KEY=x', '/a?y=1;KEY=[redacted]'],
  ['/a?k%65y=x&other=key', '/a?k%65y=[redacted]&other=key'],
];

for (const [target, shown] of hidden)
  t.test(`a credential in a query is hidden, whatever the spelling of its name: ${target}`, async (t) => {
    t.equal(redactTarget(target, ['key']), shown);
  });

t.test('a value that is not a credential is shown', async (t) => {
  t.equal(redactTarget('/a?keys=x&y=key&key', ['key']), '/a?keys=x&y=key&key');
});
