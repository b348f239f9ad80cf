// esbuild makes a chunk for each set of entry points that share code. The gateway would load 85 chunks, and 45 of them
// have less than 3 KB. Node.js needs about a millisecond of CPU to find and load a chunk. So the small ones become one.
import { join } from 'node:path';
import type { Metafile, Plugin } from 'esbuild';

/** Bytes. A larger chunk takes longer to compile than to find, so commands that do not need it should not load it. */
const SMALL = 16_000;

const NAME = 'small-chunks';

/** The sources in small chunks that `entryPoint` always loads. Each of these chunks loads only other small chunks. */
export function sourcesInSmallChunks(metafile: Metafile, entryPoint: string): readonly string[] {
  const chunks = new Chunks(metafile);
  return chunks
    .loadedBy(entryPoint)
    .filter((chunk) => chunks.isSmall(chunk))
    .flatMap((chunk) => chunks.sourcesIn(chunk));
}

/** For `inject`: a module that imports these sources. Then all entry points share them, so they get into one chunk. */
export function inOneChunk(sources: readonly string[], root: string): { readonly inject: string[]; plugin: Plugin } {
  const contents = sources.map((source) => `import ${JSON.stringify(join(root, source))};\n`).join('');
  const plugin: Plugin = {
    name: NAME,
    setup({ onResolve, onLoad }) {
      onResolve({ filter: new RegExp(`^${NAME}$`) }, () => ({ path: NAME, namespace: NAME }));
      onLoad({ filter: /.*/, namespace: NAME }, () => ({ contents, resolveDir: root }));
    },
  };
  return { inject: [NAME], plugin };
}

class Chunks {
  readonly #outputs: Metafile['outputs'];

  constructor({ outputs }: Metafile) {
    this.#outputs = outputs;
  }

  loadedBy(entryPoint: string): readonly string[] {
    const [entry] = Object.entries(this.#outputs).find(([, output]) => output.entryPoint === entryPoint) ?? [];
    if (entry === undefined) throw new Error(`${entryPoint} is no entry point of the bundle`);
    return [...this.#closure(entry)];
  }

  isSmall(chunk: string): boolean {
    return [...this.#closure(chunk)].every((each) => this.#output(each).bytes < SMALL && !this.#isEntry(each));
  }

  sourcesIn(chunk: string): readonly string[] {
    return Object.keys(this.#output(chunk).inputs).filter((input) => input.startsWith('src/'));
  }

  /** The chunk, and all chunks that it imports statically. */
  #closure(chunk: string): ReadonlySet<string> {
    const found = new Set([chunk]);
    for (const each of found)
      for (const { path, kind, external } of this.#output(each).imports)
        if (kind === 'import-statement' && !external) found.add(path);
    return found;
  }

  #isEntry(chunk: string): boolean {
    return this.#output(chunk).entryPoint !== undefined;
  }

  #output(chunk: string): Metafile['outputs'][string] {
    const output = this.#outputs[chunk];
    if (output === undefined) throw new Error(`esbuild does not describe ${chunk}`);
    return output;
  }
}
