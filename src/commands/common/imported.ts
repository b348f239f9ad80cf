/** What came of a foreign file: YAML with a comment wherever something could not be carried over, or why none did. */
export type Imported =
  | { readonly kind: 'yaml'; readonly text: string }
  | { readonly kind: 'fault'; readonly message: string };
