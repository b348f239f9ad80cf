/** Limits for clients, in milliseconds and bytes. */
export interface ServerLimits {
  readonly headersTimeout: number;
  /** Time for a complete request. */
  readonly requestTimeout: number;
  readonly connectionsCheckingInterval: number;
  readonly keepAliveTimeout: number;
  readonly bodyLimit: number;
  readonly maxHeaderSize: number;
}

export const serverLimits: ServerLimits = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 75_000,
  bodyLimit: 64 * 1024,
  maxHeaderSize: 16 * 1024,
};
