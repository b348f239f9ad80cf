import t from 'tap';
import { loadGatewayText } from '../../../src/config/load/load.ts';

const file = (route: string) => `version: 1
upstreams:
  api:
    url: http://127.0.0.1:9000
defaults:
  upstream: api
routes:
  - access: public
    ${route.trim()}
`;

const ON_MATCH = 9;
const ON_WHEN = 13;
const places: readonly (readonly [what: string, line: number, name: string, condition: string])[] = [
  ['`when`, beside conditions on other headers', ON_WHEN, 'X-Env', 'request.headers["x-original-url"] == "/"'],
  ['`match`, beside a `when` about others', ON_MATCH, 'X-Original-URL', 'request.headers["x-env"] == "a"'],
  [
    '`match`, beside a `when` that may read any',
    ON_MATCH,
    'X-Original-URL',
    'request.headers.exists(name, name == "a")',
  ],
];

for (const [what, line, name, condition] of places)
  t.test(`a header that decides and is dropped is reported at ${what}`, async (t) => {
    const text = file(`match:
      path: /a
      headers:
        ${name}: b
    when: ${JSON.stringify(condition)}`);
    const loaded = loadGatewayText(text, { file: 'gateway.yaml', env: {} });
    const told = (loaded.ok ? loaded.warnings : loaded.problems).filter(({ message }) => /does not get/.test(message));
    t.match(told, [{ message: /X-Original-URL/, line }]);
  });
