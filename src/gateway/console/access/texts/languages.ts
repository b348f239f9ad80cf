import { loginGerman } from './de.ts';
import { loginEnglish } from './en.ts';
import type { LoginTexts } from './texts.ts';

/** Every language of the pages. The first is the default. A new language is a new file like `en.ts`, and a row here. */
export const loginLanguages: readonly [LoginTexts, ...LoginTexts[]] = [loginEnglish, loginGerman];
