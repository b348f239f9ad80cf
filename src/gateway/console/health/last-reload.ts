import { type Comparison, compare } from '../../diff/compare.ts';
import { compileFile } from '../../diff/compiled-file.ts';
import type { LiveGeneration, Replaced } from '../../generation/generation.ts';

/** What the last reload made more open or more closed. Compares once for each reload, because this can take a second. */
export class LastReload {
  readonly #live: LiveGeneration;
  #known: { readonly of: Replaced; readonly comparison: Promise<Comparison> } | undefined;

  constructor(live: LiveGeneration) {
    this.#live = live;
  }

  /** `at` is null: there was no reload. */
  async look(): Promise<{ readonly at: null } | ({ readonly at: number } & Comparison)> {
    const { current, replaced } = this.#live;
    if (replaced === undefined) return { at: null };
    if (this.#known?.of !== replaced) this.#known = { of: replaced, comparison: compareWith(replaced, current) };
    return { at: replaced.at, ...(await this.#known.comparison) };
  }
}

async function compareWith(replaced: Replaced, current: LiveGeneration['current']): Promise<Comparison> {
  return await compare(compileFile({ config: replaced.config }), compileFile({ config: current.config }));
}
