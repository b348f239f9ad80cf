// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this
import t from 'tap';
import { formatForGithub } from '../../src/config/files/format.ts';
import { formatProblems, loadAuthorizationText, loadGatewayText } from '../../src/config/load/load.ts';

const secret = 'hunter2-hunter2';

function shown(text: string, env: Record<string, string> = {}): string {
  const authorization = loadAuthorizationText(text, { env });
  const gateway = loadGatewayText(text, { env });
  const problems = [authorization, gateway].flatMap((loaded) => (loaded.ok ? loaded.warnings : loaded.problems));
  return formatProblems(problems) + formatForGithub(problems) + JSON.stringify(problems);
}

t.test('no message and no excerpt shows a secret, however wrong the file is', async (t) => {
  const files = [
    `client_secret: ${secret}`,
    `clients: [{ client_id: a, client_secret: ${secret}, nonsense: 1 }]`,
    `clients: [{ client_id: a, client_secrt: ${secret} }]`,
    `clients: [{ client_id: a, client_secret: [${secret}] }]`,
    `clients:\n  - client_id: a\n    app_secret: |\n      ${secret}\n      ${secret}\n`,
    `security_events: { receivers: [{ id: a, authorization: ${secret}, nonsense: 1 }] }`,
    `security_events: { receivers: [{ id: a, authorization: [${secret}] }] }`,
    `authorization_servers: { a: { security_events: { push: { authorization: [${secret}] } } } }`,
    `encryption_keys: [${secret}]`,
    `encryption_keys:\n  - ${secret}\n`,
    `encryption_keys: ${secret}`,
    `clients: [{ client_id: a, client_secret: ${secret} `,
    `clients: [{ client_id: a, client_secret: ${secret}{x} }]`,
    `clients: [{ client_id: a, client_secret_sha256: ${secret} }]`,
    `client_secret: ${secret}: x`,
    `client_secret: "${secret}`,
    `storage: postgres://gatehouse:${secret}@127.0.0.1/db`,
    `upstreams: { a: { url: "http://a:${secret}@127.0.0.1" } }`,
    `authorization_servers: { a: { issuer: "https://a:${secret}@127.0.0.1", secret: ${secret} } }`,
  ];
  for (const text of files) t.notMatch(shown(`version: 1\n${text}\n`), /hunter2/, text);
});

t.test('a value that an alias uses as a secret is shown nowhere', async (t) => {
  const files = [
    `spare: &p ${secret}\nclients: [{ client_id: a, client_secret: *p }]`,
    `log: { level: &p ${secret} }\nclients: [{ client_id: a, client_secret: *p }]`,
    `spare: &p [${secret}]\nlogg: &q [*p]\nencryption_keys: *q`,
  ];
  for (const text of files) t.notMatch(shown(`version: 1\n${text}\n`), /hunter2/, text);
});

t.test('a typing error in a URL does not show its password', async (t) => {
  const long = 'x'.repeat(80);
  const files = [
    `storage: postgres//me:${secret}@127.0.0.1/db`,
    `storage: postgres:/me:${secret}@127.0.0.1/db`,
    `storage: postgres:me:${secret}@127.0.0.1/db`,
    `storage: posgres://me:${secret}${long}@127.0.0.1/db`,
    `upstreams: { a: { urls: "http://a:${secret}@127.0.0.1" } }`,
  ];
  for (const text of files) t.notMatch(shown(`version: 1\n${text}\n`), /hunter2/, text);
});

t.test('a key without a value that may be the rest of a secret is not shown', async (t) => {
  const credentials = `credentials: { header: X-Key, values: abc,${secret} }`;
  const files = [
    `upstreams: { a: { url: "http://127.0.0.1", ${credentials} } }`,
    `tokens: { audience: a,${secret} }`,
    `authorization_servers: { a: abc,${secret} }`,
    `routes: [{ match: { path: /a, headers: { X-Key: abc,${secret} } } }]`,
    `upstreams: { ${secret} }`,
  ];
  for (const text of files)
    t.notMatch(shown(`version: 1\n${text}\n`).replace(/^.* \| .*$/gm, ''), /is empty.*hunter2|hunter2.*is empty/, text);
});

t.test('the value of a variable is never shown', async (t) => {
  const files = [
    'issuer: ${S}',
    'listen: ${S}',
    'version: ${S}',
    'resources: ["${S}"]',
    'log: { level: "${S}" }',
    'version: 1\nissuer: https://a.example.com\nresources: ["${S}"]\nclients: [{ client_id: "${S}" }, { client_id: "${S}", scope: "${S} ${S}" }]',
    'version: 1\nupstreams: { a: { url: "${S}", host: "${S} x" } }\nroutes: [{ match: { path: "/${S}*", methods: ["${S}"], host: "${S}/" }, upstream: "${S}", scope: a, authorization_servers: ["${S}"] }]',
  ];
  for (const text of files) t.notMatch(shown(text, { S: secret }), /hunter2/, text);
});

t.test('a hint names the words of the file, even if the value of a variable has the same letters', async (t) => {
  const routes = 'routes: [{ match: { path: /a }, access: public, upstream: "${UP}" }]';
  const upstreams = 'upstreams: { a: { url: "http://127.0.0.1:1" }, b: { url: "http://127.0.0.1:2" } }';
  const told = shown(`version: 1\n${upstreams}\n${routes}\n`, { UP: 'bar' });
  t.match(told, /`\$\{UP\}`/);
  t.match(told, /known: `?a`?, `?b`?/);
  t.notMatch(told, 'bar');
});

t.test('a message hides each word of a secret value, and each long part of it', async (t) => {
  const text = 'version: 1\nscopes_supported: [read]\nroutes: [{ match: { path: /a }, scope: "${S}" }]\n';
  for (const value of ['read pin4', 'pin4 read', `read ${secret}`])
    t.notMatch(shown(text, { S: value }), /pin4|hunter2/, value);
});

t.test('the default of a variable in a secret is also hidden', async (t) => {
  t.notMatch(shown(`clients: [{ client_secret: "\${NAME:-${secret}}", x: 1 }]`), /hunter2/);
});

t.test('the name of a variable is shown, because the author must set it', async (t) => {
  t.match(shown('client_secret: ${GATEWAY_SECRET}'), /\$\{GATEWAY_SECRET\}/);
});

t.test('a private key in place of its filename is not shown', async (t) => {
  const server = `issuer: https://a.example.com, client_id: g, client_key: '{"d":"${secret}"}'`;
  const method = 'introspection_endpoint_auth_method: private_key_jwt';
  const text = `version: 1\nauthorization_servers:\n  main: { ${server}, ${method} }\nroutes: [{ match: { path: /a }, scope: a }]\n`;
  t.match(shown(text), /is a key, and not a filename/);
  t.notMatch(shown(text), /hunter2/);
});
