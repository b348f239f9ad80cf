/**
 * A key, a quoted text, a comment, a bracket, or another plain text. A quoted text ends in its line, so that a missing
 * quotation mark hides only the rest of its line.
 */
const TOKEN = /(["']?)([A-Za-z_]+)\1\s*:|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#.*|[{}[\]]|[^\s"'#{}[\],][^\s{}[\],]*/g;

/** The top-level keys of a file in braces, such as JSON, as far as its brackets are right. No braces: no keys. */
export function flowKeys(text: string): ReadonlySet<string> {
  const keys = new Set<string>();
  let depth = 0;
  if (!beginsWithBrace(text)) return keys;
  for (const [token, , key] of text.matchAll(TOKEN)) {
    if (key !== undefined && depth === 1) keys.add(key);
    else if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
  }
  return keys;
}

/** Comments, directives and the sign of a document may be in front of the brace. */
function beginsWithBrace(text: string): boolean {
  const lines = text.split(/[\r\n]+/).map((line) => line.replace(/^---(?=\s|$)/, '').trimStart());
  return lines.find((line) => line !== '' && !/^[#%]/.test(line))?.startsWith('{') === true;
}
