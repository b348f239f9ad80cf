import { readFileSync } from 'node:fs';
import t from 'tap';
import { billOfMaterials } from '../../tools/sbom.ts';

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));

const FOLDER = 'node_modules/';

t.test('the bill of materials lists exactly the locked production dependencies', async (t) => {
  const { packages } = read('package-lock.json');
  const locked = Object.entries<{ dev?: true; link?: true; version: string }>(packages)
    .filter(([path, { dev, link }]) => path.startsWith('node_modules/') && !dev && !link)
    .map(([path, { version }]) => `${path.slice(path.lastIndexOf(FOLDER) + FOLDER.length)}@${version}`);
  const { components } = billOfMaterials();
  const billed = components.map(({ name, version }) => `${name}@${version}`);
  for (const name of Object.keys(read('package.json').dependencies))
    t.ok(
      components.some((each) => each.name === name),
      name,
    );
  t.strictSame([...new Set(billed)].sort(), [...new Set(locked)].sort());
  for (const { name, purl, hashes, licenses } of components) {
    t.match(purl, /^pkg:npm\//, name);
    t.ok(hashes?.length, `the hash of ${name}`);
    t.ok(licenses?.length, `the licence of ${name}`);
  }
});
