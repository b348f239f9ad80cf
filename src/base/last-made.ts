/** Caches the last value with its inputs, so that equal inputs do not make it twice. */
export class LastMade<Value> {
  #key: readonly unknown[] = [];
  #made: { readonly value: Value } | undefined;

  /** `key`: all inputs of the value. They are compared by identity. */
  for(key: readonly unknown[], make: () => Value): Value {
    if (this.#made === undefined || !this.#isFor(key)) {
      this.#made = { value: make() };
      this.#key = key;
    }
    return this.#made.value;
  }

  /** Undefined: there is none. */
  get last(): Value | undefined {
    return this.#made?.value;
  }

  /** A cache with the changed value for the same inputs. `change` returns undefined if the value must be made again. */
  changed(change: (value: Value) => Value | undefined): LastMade<Value> {
    const next = new LastMade<Value>();
    const value = this.#made && change(this.#made.value);
    if (value === undefined) return next;
    next.#key = this.#key;
    next.#made = { value };
    return next;
  }

  #isFor(key: readonly unknown[]): boolean {
    for (let index = 0; index < key.length; index++) if (key[index] !== this.#key[index]) return false;
    return true;
  }
}
