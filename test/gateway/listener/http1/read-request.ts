/** A request as a listener read it. */
export interface ReadRequest {
  readonly method: string;
  readonly target: string;
  readonly rawHeaders: readonly string[];
  /** Whether another request may follow. */
  readonly keeps: boolean;
  /** In latin1, as far as a reader got it. */
  readonly content: string;
  /** Other facts about it. */
  readonly kind: 'request' | 'expects' | 'upgrade' | 'connect';
}
