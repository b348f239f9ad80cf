import t from 'tap';
import { stringify } from 'yaml';
import { manifestsIn } from '../deploy/pages.ts';
import { skipWithoutPeer } from '../support/peer-place.ts';
import { istioVerdicts, peer } from './support/istio.ts';

const options = { skip: skipWithoutPeer(peer) };
const selector = { matchLabels: { app: 'orders' } };

const object = (kind: string, spec: object, more: object = {}) => ({
  apiVersion: 'security.istio.io/v1',
  kind,
  metadata: { name: 'orders', namespace: 'shop' },
  spec,
  ...more,
});
const allows = (to: object, more: object = {}) =>
  object('AuthorizationPolicy', { selector, action: 'ALLOW', rules: [{ to: [{ operation: to }], ...more }] });
const authenticates = (rule: object) =>
  object('RequestAuthentication', { selector, jwtRules: [{ issuer: 'https://auth.example.com', ...rule }] });
const jwksUri = 'https://auth.example.com/jwks';

const good: Readonly<Record<string, object>> = {
  'a provider with keys at a URL': authenticates({ jwksUri, audiences: ['https://api.example.com'] }),
  'a provider with its keys': authenticates({ jwks: '{"keys":[]}', forwardOriginalToken: true }),
  'one segment': allows({ methods: ['GET'], paths: ['/orders/{*}'] }),
  'all segments': allows({ methods: ['GET'], paths: ['/orders/{**}'] }),
  'a segment, then all': allows({ paths: ['/orders/{*}/lines/{**}'] }),
  'a prefix': allows({ paths: ['/orders/*'] }),
  'a scope': allows(
    { paths: ['/orders/1'] },
    { when: [{ key: 'request.auth.claims[scope]', values: ['orders.read'] }] },
  ),
  'a principal': allows({ paths: ['/orders/1'] }, { from: [{ source: { requestPrincipals: ['*'] } }] }),
  'no rule, so that nothing passes': object('AuthorizationPolicy', { selector }),
  'the older version': { ...allows({ paths: ['/orders/{*}'] }), apiVersion: 'security.istio.io/v1beta1' },
};

const bad: Readonly<Record<string, readonly [object, RegExp]>> = {
  'a name in a template': [allows({ paths: ['/orders/{x}'] }), /\{x\}/],
  'a template after a star': [allows({ paths: ['/orders/{*}/*'] }), /\*/],
  'all segments twice': [allows({ paths: ['/{**}/orders/{**}'] }), /\{\*\*\}/],
  'a part of a segment': [allows({ paths: ['/orders/a{*}'] }), /\{\*\}/],
  'an empty path': [allows({ paths: [''] }), /empty/],
  'no provider for CUSTOM': [object('AuthorizationPolicy', { selector, action: 'CUSTOM', rules: [{}] }), /provider/],
  'DENY without rules': [object('AuthorizationPolicy', { selector, action: 'DENY' }), /rules/],
  'an unknown condition': [
    allows({ paths: ['/a'] }, { when: [{ key: 'request.query', values: ['x'] }] }),
    /request\.query/,
  ],
  'an unknown field': [allows({ path: ['/a'] }), /path/],
  'a field beside spec': [object('AuthorizationPolicy', { selector }, { rules: [] }), /rules/],
  'an empty audience': [authenticates({ jwksUri, audiences: [''] }), /audience/],
  'keys that are no JWKS': [authenticates({ jwks: 'x' }), /jwks/i],
  'keys at a path': [authenticates({ jwksUri: '/jwks' }), /URI/],
  'an unknown kind': [object('AuthorizationPolice', {}), /AuthorizationPolice/],
};

const documents = (objects: readonly object[]) => objects.map((each) => stringify(each)).join('---\n');

t.test('Istio accepts templates of whole segments, prefixes, scopes and key sets', options, async (t) => {
  const verdicts = istioVerdicts(documents(Object.values(good)));
  for (const [index, name] of Object.keys(good).entries())
    t.match(verdicts[index], { name: 'orders', errors: [], warnings: [] }, name);
  t.equal(verdicts.length, Object.keys(good).length);
});

t.test('Istio refuses names in templates, unknown fields and rules without effect', options, async (t) => {
  const verdicts = istioVerdicts(documents(Object.values(bad).map(([each]) => each)));
  for (const [index, [name, [, reason]]] of Object.entries(bad).entries())
    t.match(verdicts[index]?.errors.join('\n'), reason, name);
  t.equal(verdicts.length, Object.keys(bad).length);
});

t.test('Istio accepts the objects of the page about Kubernetes', options, async (t) => {
  const own = manifestsIn('kubernetes-edge.md').objects.filter(({ apiVersion }) => /istio\.io\//.test(apiVersion));
  t.strictSame(own.map(({ kind }) => kind).sort(), ['AuthorizationPolicy', 'VirtualService']);
  for (const { kind, errors, warnings } of istioVerdicts(documents(own)))
    t.strictSame([errors, warnings], [[], []], kind);
});
