import { textWithEngine, withEngine } from './chosen-engine.ts';
import { textWithListener, withListener } from './chosen-listener.ts';

/** The file with the choices that the environment makes for all tests, as values. */
export function withChosen<File extends object>(file: File): File {
  return withListener(withEngine(file));
}

/** The same as text. */
export function textWithChosen(text: string): string {
  return textWithListener(textWithEngine(text));
}
