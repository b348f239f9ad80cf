import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { foreignServer, secrets } from '../../support/foreign-server.ts';
import { root } from './blocks.ts';
import { follow, skipWithout } from './follow.ts';

/** Starts an identity provider and many commands: 18 s beside a whole test run. */
t.setTimeout(120_000);

const read = (file: string) => readFileSync(root + file, 'utf8');

t.test(
  'with a certified server as the provider, every block does what the page says',
  { skip: skipWithout() },
  async (t) => {
    const { issuer } = await foreignServer(t);
    const replaced = { 'https://login.example.com': issuer };
    const pem = await publicKeyOf(`${issuer}/jwks`);
    const prepare = (directory: string) => writeFileSync(join(directory, 'provider.pem'), pem);
    await follow(t, 'docs/with-my-identity-provider.md', { replaced, prepare, env: { SHOP_SECRET: secrets.shop } });
  },
);

/** The first key of a JWK Set, as PEM. */
async function publicKeyOf(url: string): Promise<string | Buffer> {
  const { keys } = (await (await fetch(url)).json()) as { readonly keys: readonly JsonWebKey[] };
  return createPublicKey({ key: keys[0] ?? {}, format: 'jwk' }).export({ format: 'pem', type: 'spki' });
}

t.test('the table of providers agrees with the page of each', async (t) => {
  const rows = [
    ...read('docs/with-my-identity-provider.md').matchAll(/^\| \[[^\]]+\]\((cookbook\/[^)]+)\) \|(.*)\|$/gm),
  ];
  t.equal(rows.length, 6);
  for (const [, page = '', cells = ''] of rows) {
    const [typ = '', , claims = ''] = cells.split(' | ');
    for (const [key, cell] of [
      ['typ', typ],
      ['scope_claims', claims],
    ] as const)
      for (const [value] of cell.matchAll(/\[[^\]]+\]/g))
        if (!cell.includes('default')) t.match(read(`docs/${page}`), `${key}: ${value}`, page);
  }
});
