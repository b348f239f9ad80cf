import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Manifest, manifests } from './chart.ts';

export const pathOf = (page: string): string => fileURLToPath(new URL(`../../docs/cookbook/${page}`, import.meta.url));

/** What a page of the cookbook shows below `# HEAD`, a block each; files of our own are in fences of `yaml`. */
export function blocksOf(page: string, head: string, fence: 'yml' | 'yaml' = 'yml'): readonly string[] {
  const text = readFileSync(pathOf(page), 'utf8');
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`${fence}\\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, block = '']) => block,
  );
  return blocks.filter((block) => block.startsWith(`# ${head}`));
}

/** Every object of Kubernetes that a page shows. */
export function manifestsIn(page: string): { readonly text: string; readonly objects: readonly Manifest[] } {
  const text = blocksOf(page, 'manifest').join('---\n');
  return { text, objects: manifests(text) };
}
