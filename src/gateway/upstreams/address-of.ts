export interface UpstreamAddress {
  readonly protocol: string;
  /** An IPv6 address without its brackets. */
  readonly hostname: string;
  readonly port: string;
}

/** The address for connections to a URL. */
export function addressOf({ protocol, hostname, port }: URL): UpstreamAddress {
  return { protocol, hostname: withoutBrackets(hostname), port: port || (protocol === 'https:' ? '443' : '80') };
}

export function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
