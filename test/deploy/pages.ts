import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Manifest, manifests } from './chart.ts';

export const pathOf = (page: string): string => fileURLToPath(new URL(`../../docs/cookbook/${page}`, import.meta.url));

/** The blocks of a cookbook page below `# HEAD`. Our own files are in `yaml` fences. */
export function blocksOf(page: string, head: string, fence: 'yml' | 'yaml' = 'yml'): readonly string[] {
  const text = readFileSync(pathOf(page), 'utf8');
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`${fence}\\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, block = '']) => block,
  );
  return blocks.filter((block) => block.startsWith(`# ${head}`));
}

/** Every Kubernetes object in a page. */
export function manifestsIn(page: string): { readonly text: string; readonly objects: readonly Manifest[] } {
  const text = blocksOf(page, 'manifest').join('---\n');
  return { text, objects: manifests(text) };
}
