/** The result of an import: YAML with a comment for each part that was not imported, or the reason why there is none. */
export type Imported =
  | { readonly kind: 'yaml'; readonly text: string }
  | { readonly kind: 'fault'; readonly message: string };
