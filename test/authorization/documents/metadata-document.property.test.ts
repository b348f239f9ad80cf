import t from 'tap';
import { inlineKeysFault } from '../../../src/authorization/clients/inline-keys.ts';
import { judgeMetadata } from '../../../src/authorization/clients/self-described.ts';
import { readMetadataDocument } from '../../../src/authorization/documents/metadata-document.ts';
import { clientAuthMethods } from '../../../src/config/words/client-auth-methods.ts';
import { clientUrlFault } from '../../../src/config/words/client-url.ts';
import { redirectUriFault } from '../../../src/config/words/redirect-uri.ts';
import fc, { tries } from '../../support/properties.ts';

const id = 'https://app.example.com/client.json';
const headers = { 'content-type': 'application/json' };

const uri = fc.oneof(
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  fc.constantFrom(
    'http://127.0.0.1/cb',
    'http://localhost:1/cb',
    'com.example.app:/cb',
    'javascript:x',
    'https://[::1',
    'a.b:',
  ),
  fc.string({ unit: 'binary' }),
);
const loose = (...likely: fc.Arbitrary<unknown>[]) =>
  fc.oneof({ arbitrary: fc.oneof(...likely), weight: 30 }, fc.jsonValue());
const key = fc.record(
  {
    kty: loose(fc.constantFrom('EC', 'RSA', 'OKP', 'oct')),
    crv: loose(fc.constantFrom('P-256', 'Ed25519')),
    x: fc.jsonValue(),
    y: fc.jsonValue(),
    d: fc.jsonValue(),
    kid: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const metadata = fc.record(
  {
    client_id: loose(fc.constant(id)),
    client_name: loose(fc.string({ unit: 'binary' }), fc.constant('Shop')),
    redirect_uris: loose(fc.array(uri, { minLength: 1, maxLength: 4 })),
    grant_types: loose(fc.constant(['authorization_code', 'x'])),
    response_types: loose(fc.constant(['code'])),
    application_type: loose(fc.constantFrom('native', 'web')),
    token_endpoint_auth_method: loose(fc.constantFrom(...clientAuthMethods)),
    scope: loose(fc.constantFrom('a b', 'b', '')),
    jwks: loose(fc.record({ keys: loose(fc.array(key, { maxLength: 3 })) })),
    jwks_uri: loose(uri),
  },
  { requiredKeys: [] },
);
const rules = { needsName: false, methods: clientAuthMethods, scope: ['a'] };

t.test('whatever a document says, reading it throws nothing, and accepted metadata keep the rules', async (t) => {
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(metadata, async (said) => {
      const body = Buffer.from(JSON.stringify({ client_id: id, client_name: 'Shop', ...said }));
      const read = readMetadataDocument(id, { headers, body }, ['a']);
      const judged = judgeMetadata(JSON.parse(body.toString()), rules);
      await inlineKeysFault((said as { jwks?: unknown }).jwks);
      for (const found of [read, judged]) {
        if (found.kind === 'refused') continue;
        accepted++;
        const { redirect_uris: uris, scope, grant_types: grants, application_type: type } = found.metadata;
        if (uris.length === 0 || uris.some((each) => redirectUriFault(each) !== undefined)) return false;
        if (scope !== undefined && scope !== 'a') return false;
        if (grants.some((grant) => grant !== 'authorization_code' && grant !== 'refresh_token')) return false;
        if (type === 'web' && uris.some((each) => !each.startsWith('https:'))) return false;
      }
      return true;
    }),
    tries(300, 5_000),
  );
  t.ok(accepted > 0, `${accepted} accepted`);
});

t.test('an accepted client id is the canonical form of an https URL with a path', async () => {
  const text = fc.oneof(
    fc.webUrl({ validSchemes: ['https', 'http', 'HTTPS'], withFragments: true, withQueryParameters: true }),
    fc.string({ unit: 'binary' }).map((rest) => `https://app.example.com/${rest}`),
    fc
      .array(fc.constantFrom('/', '.', '%2e', '%2F', 'a', ';', '\\', '%5c', '@', '#', '?', ':443', 'É'), {
        maxLength: 8,
      })
      .map((parts) => `https://app.example.com${parts.join('')}`),
  );
  await fc.assert(
    fc.property(text, (candidate) => {
      if (clientUrlFault(candidate) !== undefined) return true;
      const url = new URL(candidate);
      const isCanonical = url.href === candidate && url.protocol === 'https:' && url.pathname !== '/';
      return (
        isCanonical &&
        url.username === '' &&
        url.hash === '' &&
        !/(^|\/)\.{1,2}(\/|$)/.test(decodeURIComponent(url.pathname))
      );
    }),
    tries(1_000, 25_000),
  );
});
