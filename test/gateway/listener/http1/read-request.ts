/** A request as a listener understood it. */
export interface ReadRequest {
  readonly method: string;
  readonly target: string;
  readonly rawHeaders: readonly string[];
  /** Whether another request may follow. */
  readonly keeps: boolean;
  /** Bytes of its content, and what else it is. */
  readonly content: number;
  readonly kind: 'request' | 'expects' | 'upgrade' | 'connect';
}
