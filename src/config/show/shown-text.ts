import { parseDocument } from 'yaml';
import { coverSecrets } from '../yaml/frame.ts';

// biome-ignore lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this
const COVER = '"${HIDDEN}"';

/**
 * The text of a configuration file as a person may see and change it. Each secret is a variable without a value, so the text is still
 * valid. Comments are asterisks, because they often contain an earlier secret.
 */
export function shownText(text: string): string {
  const document = parseDocument(text, { keepSourceTokens: false });
  return coverSecrets(text, document.errors.length > 0 ? undefined : document.contents, COVER);
}
