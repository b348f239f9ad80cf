import type { demoEnglish } from './en.ts';

/** The texts of one language: the keys of the English texts. */
export type DemoTexts = typeof demoEnglish;
