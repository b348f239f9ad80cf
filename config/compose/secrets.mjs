// `node secrets.mjs FOLDER`: makes the secrets of compose.yaml in FOLDER, each once. Only their owner may read them.
import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const secrets = {
  encryption: () => randomBytes(32).toString('base64'),
  gateway: () => randomBytes(32).toString('hex'),
  shop: () => randomBytes(32).toString('hex'),
  postgres: () => randomBytes(32).toString('hex'),
};

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node secrets.mjs FOLDER');
for (const [name, make] of Object.entries(secrets)) {
  const file = join(folder, name);
  if (!existsSync(file)) writeFileSync(file, make(), { mode: 0o600, flag: 'wx' });
}
