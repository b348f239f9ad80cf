/**
 * Folds a text to one case, for every letter of Unicode, so that `É` and `é` are equal. It folds letter by letter, as file
 * systems and web servers that ignore case do. So `ß` stays one letter, and its neighbors do not matter.
 */
export function foldCase(text: string): string {
  return ASCII.test(text) ? text.toLowerCase() : Array.from(text, foldLetter).join('');
}

const ASCII = /^[\0-\x7f]*$/;

/** Folds through the upper case: `ς` and `σ` have the same upper case, and the Kelvin sign has the same lower case as `k`. */
function foldLetter(letter: string): string {
  return oneLetter(letter, oneLetter(letter, letter.toUpperCase()).toLowerCase());
}

/** Keeps the letter if its other case has several letters. */
function oneLetter(letter: string, cased: string): string {
  return cased.length === letter.length ? cased : letter;
}
