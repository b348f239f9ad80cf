import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { stringify } from 'yaml';
import { loadAuthorizationText, loadGatewayText } from '../../src/config/load/load.ts';
import { misfits } from '../../src/config/rules/cross-file-rules.ts';
import { makeApiKey } from '../../src/http-auth/api-key.ts';
import { apiKeyLine } from '../support/api-key-files.ts';
import { digestLines } from '../support/user-files.ts';
import { filesIn, pages, textOf } from './cookbook.ts';

const load = { 'gateway.yaml': loadGatewayText, 'authorization.yaml': loadAuthorizationText };

const env = {
  TOOLS_KEY: 'a-key-of-the-tools',
  GATEWAY_SECRET: 'gateway-secret-of-the-tests',
  EVENTS_SECRET: 'events-secret-of-the-tests',
  SHOP_SECRET: 'shop-secret-of-the-tests',
  KEYCLOAK_SECRET: 'keycloak-secret-of-the-tests',
  OKTA_SECRET: 'okta-secret-of-the-tests',
  WEB_SECRET: 'web-secret-of-the-tests',
  NIGHTLY_SECRET: 'nightly-secret-of-the-tests',
  PG_PASSWORD: 'postgres-password-of-the-tests',
  REDIS_PASSWORD: 'redis-password-of-the-tests',
  PUSH_TOKEN: 'push-token-of-the-tests',
  LEGACY_PASSWORD: 'legacy-password-of-the-tests',
  // what a check needs to read, and no user's password
  ALICE_PASSWORD_HASH: `$argon2id$v=19$m=65536,t=3,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`,
};

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

function misfitsOf(gateway: string, service: string) {
  const one = loadGatewayText(gateway, { withoutSecrets: true });
  const other = loadAuthorizationText(service, { withoutSecrets: true });
  if (!one.ok || !other.ok) throw new Error(JSON.stringify([one, other]));
  return misfits(one, other);
}

for (const page of pages) {
  t.test(`every file that ${page} shows loads without a warning`, async (t) => {
    const directory = t.testdir({
      'client.pem': privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
      'keys.json': '{"keys":[]}',
      'orders-ca.pem': readFileSync(new URL('../vectors/tls/authority.crt', import.meta.url), 'utf8'),
      'ops.crt': readFileSync(new URL('../vectors/tls/server.crt', import.meta.url), 'utf8'),
      'ops.key': readFileSync(new URL('../vectors/tls/server.key', import.meta.url), 'utf8'),
      'keys.secret': `${Buffer.alloc(32, 7).toString('base64')}\n`,
      'ticket.key': `${Buffer.alloc(32, 7).toString('base64')}\n`,
      'encryption.key': `${Buffer.alloc(32, 7).toString('base64')}\n`,
    });
    const users = {
      'meters.htdigest': digestLines('alice', 'meters', 'x'),
      'hooks.htpasswd': '',
      'operators.htpasswd': '',
      'meters.keys': `${apiKeyLine(makeApiKey(), 'meter-7', { scopes: ['meters.read'] })}\n`,
    };
    for (const [name, text] of Object.entries(users)) writeFileSync(`${directory}/${name}`, text, { mode: 0o600 });
    const files = filesIn(page);
    t.ok(files.length > 0);
    for (const { file, title, values } of files) {
      const loaded = load[file](stringify(values), { file: `${directory}/${file}`, env });
      t.strictSame(loaded.ok ? loaded.warnings : loaded.problems, [], title);
    }
  });

  t.test(`the whole files of ${page} fit together`, async (t) => {
    const whole = filesIn(page).filter(({ title }) => !title.includes('.yaml:'));
    const of = (file: string) => whole.filter((shown) => shown.file === file).map(({ values }) => stringify(values));
    for (const gateway of of('gateway.yaml'))
      for (const service of of('authorization.yaml')) t.strictSame(misfitsOf(gateway, service), []);
  });

  t.test(`${page} links only to files that exist`, async (t) => {
    for (const [, target = ''] of textOf(page).matchAll(/\]\((?!https?:)([^)#]+)/g))
      t.ok(existsSync(fileURLToPath(new URL(`../../docs/cookbook/${target}`, import.meta.url))), target);
  });
}

t.test('the README links to the cookbook', async (t) => {
  t.match(readFileSync(new URL('../../README.md', import.meta.url), 'utf8'), '(docs/cookbook)');
});
