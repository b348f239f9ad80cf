import { textsIn } from '../../../base/languages.ts';
import { german } from './de.ts';
import { english } from './en.ts';
import type { Texts } from './texts.ts';

/** Every language of the pages. The first is the default. A new language is a new file like `en.ts`, and a row here. */
const languages: readonly [Texts, ...Texts[]] = [english, german];

/** The tags of the languages (BCP 47). */
export const locales: readonly string[] = languages.map(({ lang }) => lang);

/** `wanted`: in order of preference. */
export function textsFor(wanted: readonly string[]): Texts {
  return textsIn(languages, wanted);
}
