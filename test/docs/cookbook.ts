import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

// biome-ignore lint/suspicious/noExplicitAny: a configuration file before it is judged
export type Values = any;

/** A configuration file in a page. A fragment is merged into the whole file before it in the page. */
export interface Shown {
  readonly file: 'gateway.yaml' | 'authorization.yaml';
  /** The first lines of the block, for messages. */
  readonly title: string;
  readonly values: Values;
}

const folder = fileURLToPath(new URL('../../docs/cookbook/', import.meta.url));
const FENCE = /^```yaml\n(.*?)^```$/gms;
/** `# gateway.yaml` is the head of a whole file, and `# gateway.yaml: a.b` is the head of a change below a.b. */
const HEAD = /^# (gateway\.yaml|authorization\.yaml)(?:: ([a-z_0-9.]+))?\n/;

export const pages: readonly string[] = readdirSync(folder).filter((name) => name.endsWith('.md'));

export function textOf(page: string): string {
  return readFileSync(`${folder}${page}`, 'utf8');
}

export function filesIn(page: string): readonly Shown[] {
  const whole = new Map<string, Values>();
  return [...textOf(page).matchAll(FENCE)].map(([, block = '']) => {
    const [title = '', file, path] = HEAD.exec(block) ?? [];
    if (file === undefined) throw new Error(`${page}: a block that does not say what it is: ${block}`);
    if (path === undefined) whole.set(file, parse(block));
    const values = path === undefined ? whole.get(file) : merged(whole.get(file), path.split('.'), parse(block));
    return { file: file as Shown['file'], title: `${title.trim()} ${block.split('\n')[1]}`, values };
  });
}

function merged(base: Values, path: readonly string[], change: object): Values {
  const copy = structuredClone(base);
  let place = copy;
  for (const name of path) place = place[name] ??= {};
  Object.assign(place, change);
  return copy;
}
