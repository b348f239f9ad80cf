import type { Parameters } from '../oauth/parameters.ts';
import type { Client } from './clients.ts';
import type { Service } from './service.ts';

export interface TokenRequest {
  readonly client: Client;
  /** Only those that the grant names. */
  readonly parameters: Parameters;
}

/** What a grant allows; `issue.ts` makes tokens of it. */
export interface Granted {
  readonly client: Client;
  readonly subject: string;
  readonly scope: readonly string[];
  readonly audience: readonly string[];
}

export interface Grant {
  readonly parameters: readonly string[];
  handle(request: TokenRequest, service: Service): Granted | Promise<Granted>;
}
