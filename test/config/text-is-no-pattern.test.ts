import { globSync, readFileSync } from 'node:fs';
import t from 'tap';
import { loadGatewayText } from '../../src/config/load/load.ts';
import { executedPatterns } from '../support/executed-patterns.ts';

const root = new URL('../../', import.meta.url);

/** Where a RegExp is built, and from what. */
const putTogether: Readonly<Record<string, string>> = {
  'src/config/yaml/frame.ts': 'the schemes of the table of storage URLs',
  'src/config/rules/looked-at.ts': 'the two words `headers` and `query`',
  'src/gateway/mcp/answer-text.ts': 'the members of results that are lists',
  'src/gateway/listener/http1/field-section.ts': 'constants of the grammar of HTTP',
  'src/gateway/telemetry/without-tokens.ts': 'the spellings of `access_token`',
  'src/gateway/upstreams/own/answer-head.ts': 'constants of the grammar of HTTP',
  'src/gateway/upstreams/own/chunked-content.ts': 'constants of the grammar of HTTP',
  'src/gateway/message/http-grammar.ts': 'constants of the grammar of HTTP',
};

const sources = globSync('src/**/*.ts', { cwd: root }).map((file) => ({
  file: file.replaceAll('\\', '/'),
  text: readFileSync(new URL(file, root), 'utf8'),
}));

t.test('a RegExp is built only from our own text', async (t) => {
  const found = sources.filter(({ text }) => /\bRegExp\(/.test(text)).map(({ file }) => file);
  t.strictSame(found.sort(), Object.keys(putTogether).sort());
});

t.test('no search reads its text as a pattern', async (t) => {
  // Text given to one of these becomes a RegExp. A literal, a constant in capitals and a member of `Members` are
  // allowed.
  const asPattern = /(?<!\bstring|\btable)\.(?:match|matchAll|search)\((?!\/|[A-Z_]+\)|members\.)/g;
  const found = sources.flatMap(({ file, text }) =>
    [...text.matchAll(asPattern)].map(({ 0: call }) => `${file} ${call}`),
  );
  t.strictSame(found, []);
});

const MARK = '(mark+)+$';

/** Every place in a file that may have free text. */
const file = `
version: 1
listen: 127.0.0.1:8080
realm: "${MARK}"
request_id: { header: X-Id }
cors: { origins: ["https://mark.example"] }
authorization_servers:
  main: { issuer: "https://mark.example/${MARK}", audience: "${MARK}", jwks_uri: "https://mark.example/${MARK}", scope_claims: ["${MARK}"], token_prefix: "${MARK}" }
upstreams: { app: { url: "http://127.0.0.1:9", host: mark.example } }
defaults: { upstream: app }
routes:
  - id: "${MARK}"
    match: { host: "{t}.mark.example", path: "/${MARK}/{mark}", headers: { X-Mark: "${MARK}" }, query: { "${MARK}": "${MARK}" } }
    scope: "${MARK}"
    claims: { "${MARK}": { one_of: ["${MARK}"] } }
    when: 'request.path.matches("${MARK}") || request.path.contains("${MARK}") || request.path.split("${MARK}") == ["${MARK}"]'
    rewrite: { strip_prefix: "/${MARK}", add_prefix: "/${MARK}" }
tests:
  - { request: "GET /${MARK}/7", token: { scope: "${MARK}" }, expect: { refuse: 404 } }
`;

t.test('no text of a configuration file becomes a RegExp', async (t) => {
  const found = executedPatterns(() => {
    const loaded = loadGatewayText(file, { file: 'gateway.yaml', env: {} });
    t.ok(loaded.ok, loaded.ok ? '' : JSON.stringify(loaded.problems));
  });
  t.ok(found.size > 10, 'what runs is seen');
  t.strictSame(
    [...found].filter((source) => source.includes('mark')),
    [],
  );
});
