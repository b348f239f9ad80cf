import { passesOver, readReferred } from '../files/referred-file.ts';
import { isThemeName, logoFileFault, themeValueFault } from '../schema/theme.ts';
import type { Finding } from '../words/problem.ts';
import type { Checks } from './checks.ts';
import type { AuthorizationSubject } from './subject.ts';

/** Rules for the look of the hosted pages. */
export const pageChecks: Checks<AuthorizationSubject> = {
  'variables of the pages': ({ config }) =>
    Object.entries(config.theme.css).flatMap(([name, value]): Finding[] => {
      const message = themeValueFault(name, value);
      return message === undefined
        ? []
        : [{ pointer: ['theme', 'css', name], ...remedy(message), atKey: !isThemeName(name) }];
    }),
  'logo of the pages': logoFaults,
};

/** Splits a sentence into message and hint. Sentences about the theme end with the remedy. */
function remedy(sentence: string): { message: string; hint?: string } {
  const [, message = sentence, hint] =
    /^(.*?)[;:] ((?:did you mean|known:|write for example) .*)$/s.exec(sentence) ?? [];
  return hint === undefined ? { message } : { message, hint };
}

function logoFaults({ config, around }: AuthorizationSubject): readonly Finding[] {
  const { logo } = config.theme;
  if (logo === undefined) return [];
  const pointer = ['theme', 'logo'];
  const message = logoFileFault(logo);
  if (message !== undefined) return [{ pointer, message }];
  if (passesOver(logo, around, 'no secret')) return [];
  const file = readReferred(logo, around);
  return file.ok ? [] : [{ pointer, message: file.message, hint: file.hint }];
}
