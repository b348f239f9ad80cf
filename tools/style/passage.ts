/** A text that a person reads, and where it begins. */
export interface Passage {
  readonly line: number;
  readonly text: string;
  readonly kind: 'text' | 'cell' | 'heading' | 'comment' | 'string';
}
