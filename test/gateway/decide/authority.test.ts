import t from 'tap';
import { hostNames } from '../../../src/gateway/decide/authority.ts';

t.test('a Host is a name without case, port or trailing dot', async (t) => {
  const name = hostNames();
  const cases: Readonly<Record<string, string | undefined>> = {
    'API.Example.com': 'api.example.com',
    'api.example.com:80': 'api.example.com',
    'api.example.com:65535': 'api.example.com',
    'api.example.com:65536': undefined,
    'api.example.com.': 'api.example.com',
    '192.0.2.1:8080': '192.0.2.1',
    'a b': undefined,
    'a/b': undefined,
    '': undefined,
  };
  for (const [authority, expected] of Object.entries(cases)) {
    t.equal(name(authority), expected, authority);
    t.equal(name(authority), expected, `${authority}, when it is asked again`);
  }
});

t.test('a flood of names is not kept, and answers stay right', async (t) => {
  const name = hostNames(3);
  for (const round of [1, 2])
    for (let n = 0; n < 20; n++) t.equal(name(`H${n}.example:1`), `h${n}.example`, String(round));
});
