import { readFileSync } from 'node:fs';

const PAGE = 'docs/cookbook/behind-nginx.md';
const SECTION = /^( *)# --- (gatehouse-[a-z]+\.conf): ([^\n]*) ---\n(.*?)^ *# --- end ---$/gms;

/** The nginx configuration that the cookbook shows, in files to include: path → text. */
export function nginxFiles(): Readonly<Record<string, string>> {
  const page = readFileSync(new URL(`../${PAGE}`, import.meta.url), 'utf8');
  const sections = [...page.matchAll(SECTION)];
  return Object.fromEntries(
    sections.map(([, indent = '', name, place, text = '']) => [
      `config/nginx/${name}`,
      `# Made by \`npm run generate\` from ${PAGE}, which explains it. Edit only your copy. Include it ${place}.\n\n${text.replaceAll(new RegExp(`^${indent}`, 'gm'), '')}`,
    ]),
  );
}
