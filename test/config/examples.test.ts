// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import t from 'tap';
import { parse } from 'yaml';
import {
  loadAuthorizationConfig,
  loadAuthorizationText,
  loadAuthorizationWithoutSecrets,
  loadGatewayConfig,
  loadGatewayText,
  loadGatewayWithoutSecrets,
} from '../../src/config/load/load.ts';
import { misfits } from '../../src/config/rules/cross-file-rules.ts';
import { writeDemoFiles } from '../../src/demo/files.ts';
import { type Code, codes, isCode } from '../../src/gateway/message/codes.ts';
import { exampleDocuments, examplesOf } from '../../tools/configuration-examples.ts';
import { configurationKeys } from '../../tools/configuration-page.ts';
import { generated } from '../../tools/generate.ts';

const path = (name: string) => fileURLToPath(new URL(`../../config/${name}`, import.meta.url));
const env = {
  ALICE_PASSWORD_HASH: `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`,
  GATEWAY_SECRET: 'gateway-secret-of-tests',
  SHOP_SECRET: 'shop-secret-of-the-tests',
  WAREHOUSE_SECRET: 'warehouse-secret-of-tests',
};

t.test('the commented examples load without a warning', async (t) => {
  for (const loaded of [
    loadGatewayConfig(path('gateway.yaml'), env),
    loadAuthorizationConfig(path('authorization.yaml'), env),
  ])
    t.strictSame(loaded.ok ? loaded.warnings : loaded.problems, []);
});

t.test('the examples match each other', async (t) => {
  const gateway = loadGatewayConfig(path('gateway.yaml'), env);
  const authorization = loadAuthorizationConfig(path('authorization.yaml'), env);
  if (!gateway.ok || !authorization.ok) return t.fail();
  const server = gateway.config.authorization_servers.main;
  const client = authorization.config.clients.find(({ client_id }) => client_id === server?.client_id);
  t.equal(server?.issuer, authorization.config.issuer);
  t.equal(server?.client_secret, client?.client_secret);
  t.equal(client?.introspect, true);
  t.equal(server?.audience, authorization.config.resources[0]);
  t.strictSame(gateway.config.scopes_supported, Object.keys(authorization.config.scopes));
});

for (const folder of ['', 'compose/'])
  t.test(`the pair config/${folder} has no contradiction`, async (t) => {
    const gateway = loadGatewayWithoutSecrets(path(`${folder}gateway.yaml`));
    const authorization = loadAuthorizationWithoutSecrets(path(`${folder}authorization.yaml`));
    if (!gateway.ok || !authorization.ok) return t.fail();
    t.strictSame(misfits(gateway, authorization), []);
  });

t.test('the files of the demo have no contradiction', async (t) => {
  const files = writeDemoFiles({ gateway: 1, authorization: 2, api: 3, client: 4, admin: 5, health: 6 });
  t.teardown(() => rmSync(files.directory, { recursive: true }));
  const gateway = loadGatewayConfig(files.gateway, {});
  const authorization = loadAuthorizationConfig(files.authorization, {});
  if (!gateway.ok || !authorization.ok) return t.fail();
  t.strictSame(misfits(gateway, authorization), []);
});

for (const name of ['gateway', 'authorization']) {
  t.test(`editors accept ${name}.yaml with its schema, including variables`, async (t) => {
    const schema = JSON.parse(readFileSync(path(`${name}.schema.json`), 'utf8'));
    const text = readFileSync(path(`${name}.yaml`), 'utf8');
    const validate = new Ajv({ strict: true, strictTypes: false }).compile(schema);
    t.match(text, new RegExp(`^# yaml-language-server: \\$schema=\\./${name}\\.schema\\.json\n`));
    t.ok(validate(parse(text)), JSON.stringify(validate.errors));
    t.ok(validate({ ...parse(text), listen: '${LISTEN}', development: '${DEVELOPMENT:-false}' }));
    t.notOk(validate({ ...parse(text), listen: 'nowhere' }));
  });
}

const loaders = { 'gateway.yaml': loadGatewayText, 'authorization.yaml': loadAuthorizationText };

for (const [file, load] of Object.entries(loaders))
  t.test(`the examples of every key of ${file} load without an error`, async (t) => {
    for (const text of exampleDocuments(file)) {
      const loaded = load(text, { file: `tools/examples/${file}`, withoutSecrets: true });
      const problems = loaded.ok ? [] : loaded.problems.filter(({ severity }) => severity === 'error');
      t.strictSame(problems, []);
    }
  });

t.test('every key of both files has an example in the reference', async (t) => {
  const examples = Object.keys(loaders).map(examplesOf);
  for (const { path } of configurationKeys())
    t.ok(
      examples.some((each) => each.has(path)),
      path,
    );
});

t.test('every code in the examples of the reference exists, with this status', async (t) => {
  const text = exampleDocuments('gateway.yaml').join('---\n');
  const found = [...text.matchAll(/refuse: (\d+), code: (\w+)/g)].map(([, status, code = '']) => [
    code,
    Number(status),
  ]);
  t.ok(found.length > 0);
  for (const [code, status] of found) t.equal(codes[code as Code]?.status, status, String(code));
  const written = [
    ...(generated()['docs/configuration.md'] as string).matchAll(/\bcode: (\w+)|expect\.code`.* `(\w+)` \|$/gm),
  ];
  t.ok(written.length >= 2);
  for (const [row, inMap, alone] of written) t.ok(isCode(inMap ?? alone ?? ''), row);
});
