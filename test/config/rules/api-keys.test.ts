// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this
import t, { type Test } from 'tap';
import { loadGatewayText } from '../../../src/config/load/load.ts';
import { apiKeyFile, apiKeyLine } from '../../support/api-key-files.ts';
import { behind, gatewayYaml } from '../../support/gateway.ts';

const secret = Buffer.alloc(32, 7);

interface Found {
  readonly message: string;
  readonly hint?: string | undefined;
  readonly severity?: string;
}

function found(api_key: object, file: object = {}): readonly Found[] {
  const routes = [{ id: 'r', match: { path: '/a' }, access: 'authenticated', auth: 'api_key', api_key }];
  const loaded = loadGatewayText(gatewayYaml(behind('http://127.0.0.1:9', { routes, ...file })));
  return loaded.ok ? loaded.warnings : loaded.problems;
}

const keysOf = (t: Test) => apiKeyFile(t, apiKeyLine('a', 'a', { id: 'a', scopes: ['read'] }));

t.test('the place of a key is a header or a parameter that has no meaning of its own', async (t) => {
  const keys = keysOf(t);
  t.strictSame(found({ keys }), [], 'X-API-Key is the default');
  t.match(found({ keys, name: 'Authorization' }), [{ message: /`Authorization` has a meaning of its own/ }]);
  t.match(found({ keys, name: 'X_Forwarded_For' }), [{ message: /has a meaning of its own/ }]);
  t.match(found({ keys, name: 'X Key' }), [{ message: /not a header name/ }]);
  t.strictSame(found({ keys, in: 'query', name: 'api_key' }), []);
  t.match(found({ keys, in: 'query', name: 'access_token' }), [{ message: /RFC 6750/ }]);
  t.match(found({ keys, in: 'query', name: 'a&b' }), [{ message: /letters, digits/ }]);
});

t.test('a bad line of the file is told with file and line', async (t) => {
  t.match(found({ keys: apiKeyFile(t, '# a', 'x') }), [
    { message: /users:2: this is not a line of an API key/, hint: /gatehouse api-key create/ },
  ]);
  t.match(found({ keys: '/nowhere/keys' }), [{ message: /\/nowhere\/keys/ }]);
});

t.test('short keys need the secret of their HMAC, and are warned of where it is there', async (t) => {
  const keys = apiKeyFile(t, apiKeyLine('short', 'old', { id: 'old-1', secret }));
  t.match(found({ keys }), [{ message: /`old-1`: .*`hmac_key` is missing/, hint: /\$\{file:PATH\}/ }]);
  t.match(found({ keys, hmac_key: secret.toString('base64') }), [
    { severity: 'warning', message: /`old-1`: .*fewer than 128 bits/, hint: /api-key create/ },
  ]);
  t.match(found({ keys: keysOf(t), hmac_key: 'short' }), [{ message: /it needs 32/ }]);
});

t.test('a scope that scopes_supported lacks is warned of', async (t) => {
  t.match(found({ keys: keysOf(t) }, { scopes_supported: ['reads'] }), [
    { severity: 'warning', message: /`read` of the key `a` is not in scopes_supported/, hint: /reads/ },
  ]);
});
