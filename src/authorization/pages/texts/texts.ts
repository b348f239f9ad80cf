import type { english } from './en.ts';
import type { Plural } from './plural.ts';

/** The texts of one language: the keys of the English texts. */
export type Texts = Translated<typeof english>;

type Translated<Part> = Part extends string
  ? string
  : Part extends Plural
    ? Plural
    : { readonly [Key in keyof Part]: Translated<Part[Key]> };
