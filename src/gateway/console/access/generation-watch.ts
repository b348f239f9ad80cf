import type { LiveGeneration } from '../../generation/generation.ts';

/** Notices each reload while something depends on the file, and costs nothing at other times. */
export class GenerationWatch {
  readonly #live: LiveGeneration;
  readonly #changed: () => boolean;
  #isOn = false;

  /** `changed`: runs after a reload. False: nothing depends on the file any more. */
  constructor(live: LiveGeneration, changed: () => boolean) {
    this.#live = live;
    this.#changed = changed;
  }

  begin(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.#live.current.term.onEnd(() => {
      this.#isOn = false;
      if (this.#changed()) this.begin();
    });
  }
}
