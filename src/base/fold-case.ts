/**
 * The text in one case, for every letter of Unicode: what `É` and `é` have in common. It folds letter by letter, as file
 * systems and web servers that ignore case do, so `ß` stays one letter and the letters beside it change nothing.
 */
export function foldCase(text: string): string {
  return ASCII.test(text) ? text.toLowerCase() : Array.from(text, foldLetter).join('');
}

const ASCII = /^[\0-\x7f]*$/;

/** By way of the upper case: `ς` and `σ` share theirs, and the Kelvin sign shares its lower case with `k`. */
function foldLetter(letter: string): string {
  return oneLetter(letter, oneLetter(letter, letter.toUpperCase()).toLowerCase());
}

/** A case that takes more letters than one is no case of that letter alone. */
function oneLetter(letter: string, cased: string): string {
  return cased.length === letter.length ? cased : letter;
}
