// How a built site is served: on this machine only, and a missing page is a 404.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vite';

const { base, outDir } = JSON.parse(readFileSync(join(import.meta.dirname, 'settings.json'), 'utf8'));

export default defineConfig({
  appType: 'mpa',
  base,
  build: { outDir },
  preview: { host: '127.0.0.1', strictPort: true },
});
