/** `scope-token *( SP scope-token )` of RFC 6749 §3.3. */
const grammar = /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/;

/** The scope tokens, each once, in order; undefined if the text is not a scope. */
export function parseScope(text: string): readonly string[] | undefined {
  return grammar.test(text) ? [...new Set(text.split(' '))] : undefined;
}

export function formatScope(scope: Iterable<string>): string {
  return [...scope].join(' ');
}

/** The tokens of a scope that this program wrote; none for an empty text. */
export function scopeList(text: string): readonly string[] {
  return text === '' ? [] : text.split(' ');
}
