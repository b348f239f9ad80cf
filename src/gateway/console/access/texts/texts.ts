import type { loginEnglish } from './en.ts';

/** The texts of one language: the keys of the English texts. */
export type LoginTexts = typeof loginEnglish;
