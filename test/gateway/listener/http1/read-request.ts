/** A request as a listener understood it. */
export interface ReadRequest {
  readonly method: string;
  readonly target: string;
  readonly rawHeaders: readonly string[];
  /** Whether another request may follow. */
  readonly keeps: boolean;
  /** In latin1, as far as a reader got it. */
  readonly content: string;
  /** What else it is. */
  readonly kind: 'request' | 'expects' | 'upgrade' | 'connect';
}
