import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import t from 'tap';
import { parse } from 'yaml';
import { code } from '../authorization/grant-flow.ts';
import { configuration, run } from '../authorization/running-service.ts';
import { textOf } from './cookbook.ts';

const bash = promisify(execFile);
const missing = ['bash', 'curl', 'jq', 'openssl'].filter((tool) => spawnSync(tool, ['--version']).error !== undefined);
const skip = missing.length === 0 ? false : `not installed: ${missing.join(', ')}`;

const blocks = (language: string) =>
  [...textOf('authorization-service.md').matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, block = '']) => block,
  );
const [, byItself = '', authorize = '', redeem = '', onwards = ''] = blocks('sh');

const secrets = {
  WEB_SECRET: 'cs_web-secret-of-32-bytes-or-more',
  NIGHTLY_SECRET: 'cs_nightly-secret-of-32-bytes-or-so',
  GATEWAY_SECRET: 'cs_gateway-secret-of-32-bytes',
};

/** The clients of the page. The secret of each is the variable in the page. */
function clientsOfPage() {
  const text = blocks('yaml')[0] ?? '';
  const filled = text.replace(
    /\$\{(\w+)\}/g,
    (_, name) => Object.entries(secrets).find(([key]) => key === name)?.[1] ?? 'x',
  );
  return parse(filled).clients.map(({ scope = '', ...client }) => ({ ...client, ...(scope && { scope }) }));
}

t.test('the requests of the page, one after another, get the documented answers', { skip }, async (t) => {
  const service = await run(t, { config: { clients: clientsOfPage(), users: configuration().users } });
  const type = async (lines: string) => {
    const script = lines.replaceAll('http://localhost:8081', service.url);
    const { stdout } = await bash('bash', ['-c', script], { env: { ...process.env, ...secrets } });
    return stdout.trim();
  };
  t.match(JSON.parse(await type(byItself)), { token_type: 'Bearer', scope: 'orders.read' });

  const [address = '', verifier = ''] = (await type(`${authorize}echo "$VERIFIER"`)).split('\n');
  const asked = new URL(address).searchParams;
  t.match(await (await fetch(address)).text(), /<title>.*Sign in/, 'which is not refused');

  const redirectUri = asked.get('redirect_uri') ?? '';
  const challenge = asked.get('code_challenge') ?? '';
  const made = await code(service, { clientId: 'shop-web', redirectUri, challenge });
  const steps = `VERIFIER=${verifier}\n${redeem.replace('CODE=…', `CODE=${made}`)}`;
  const ended = await type(`${steps}${onwards.replaceAll('introspect ', 'introspect; echo ')}`);
  const [first = '', active = '', ...rest] = ended.split('\n').filter((line) => line !== '');
  const answer = JSON.parse(first) as { readonly expires_in: number };
  t.match(answer, { scope: 'orders.read', refresh_token: /^rt_/ });
  // Whole seconds that are left when the answer is written. A second may have passed since the token was issued.
  t.ok(answer.expires_in <= 3600 && answer.expires_in > 3570, `${answer.expires_in}`);
  t.match(JSON.parse(active), { active: true, client_id: 'shop-web', username: 'alice' });
  t.strictSame(rest, ['{"active":false}']);
});
