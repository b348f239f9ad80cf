import t from 'tap';
import { convert } from '../../src/config/schema/units.ts';
import { closest, didYouMean } from '../../src/config/words/closest.ts';
import { isLoopback, normalizeHost } from '../../src/config/words/host.ts';
import { isSecretName } from '../../src/config/words/secret-names.ts';

t.test('a word with at most one typing error for every three letters is suggested', async (t) => {
  t.equal(closest('acess', ['access', 'audience']), 'access');
  t.equal(closest('raed', ['read', 'write']), 'read');
  t.equal(closest('PUBLIC', ['public']), 'public');
  t.equal(closest('xyz', ['public']), undefined);
  t.equal(closest('', ['a']), 'a');
});

t.test('a hint names the likely word, or all words if they are few', async (t) => {
  t.equal(didYouMean('mian', ['main']), 'did you mean `main`?');
  t.equal(didYouMean('x', ['main', 'other']), 'known: `main`, `other`');
  t.equal(didYouMean('x', []), undefined);
});

t.test('hosts compare without case, port and trailing dot', async (t) => {
  t.equal(normalizeHost('API.Example.com.:8443'), 'api.example.com');
  for (const one of ['[::1]:80', '[0:0:0:0:0:0:0:1]', '[0::0001]', '[::0.0.0.1]'])
    t.equal(normalizeHost(one), '[::1]', one);
  t.equal(normalizeHost('[2001:DB8:0:0::A]'), '[2001:db8::a]');
  t.equal(normalizeHost('127.0.0.1'), '127.0.0.1');
  for (const text of ['127.1', '127.0.1', '0x7f.0.0.1', '2130706433', '127.0.0.01', '0x7f000001', '1.2.3.4.5', 'a.0x'])
    t.equal(normalizeHost(text), undefined, text);
  t.equal(normalizeHost('my_service:9000'), 'my_service');
  for (const text of [
    '',
    '.',
    'a..b',
    'a b',
    'a/b',
    '-a',
    '[::zz]',
    'a:123456',
    'a:65536',
    'http://a',
    '{tenant}.example.com',
    'a'.repeat(64),
  ]) {
    t.equal(normalizeHost(text), undefined, text);
  }
});

t.test('loopback means only this machine', async (t) => {
  for (const host of ['localhost', 'LOCALHOST', 'app.localhost', '127.9.9.9', '::1', '[::1]'])
    t.ok(isLoopback(host), host);
  for (const host of ['127.0.0.1.example.com', 'localhost.example.com', '10.0.0.1', '0.0.0.0', '::'])
    t.notOk(isLoopback(host), host);
});

t.test('a misspelled name of a secret counts as the name of a secret', async (t) => {
  for (const key of [
    'client_secret',
    'client_secert',
    'app_secret',
    'encryption_keys',
    'encyrption_keys',
    'pasword',
    'secret',
    'sercet',
  ])
    t.ok(isSecretName(key), key);
  for (const key of ['client_id', 'scope', 'issuer', 'access', 'forward_credential', 'token_prefix', 'jwks_uri'])
    t.notOk(isSecretName(key), key);
});

t.test('units are converted, and only whole numbers with a known unit', async (t) => {
  t.equal(convert('duration', '250ms'), 250);
  t.equal(convert('duration', '7d'), 604_800_000);
  t.equal(convert('size', '5GiB'), 5_368_709_120);
  t.equal(convert('size', 'none'), 'none');
  t.strictSame(convert('address', '[::1]:8080'), { host: '::1', port: 8080 });
  t.strictSame(convert('address', 'localhost:0'), { host: 'localhost', port: 0 });
  for (const text of ['', '5', '5 s', '1.5s', '-1s', '5toString', '99999999999999999d'])
    t.equal(convert('duration', text), undefined, text);
  for (const text of ['8080', ':8080', 'a:65536', 'a:b', '::1:80', 'a b:80'])
    t.equal(convert('address', text), undefined, text);
});
