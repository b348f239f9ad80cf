import { demoGerman } from './de.ts';
import { demoEnglish } from './en.ts';
import type { DemoTexts } from './texts.ts';

/** Every language of the page. The first is the default. A new language is a new file like `en.ts`, and a row here. */
export const demoLanguages: readonly [DemoTexts, ...DemoTexts[]] = [demoEnglish, demoGerman];
