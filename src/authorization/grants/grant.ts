import type { FastifyRequest } from 'fastify';
import type { Parameters } from '../../oauth/parameters.ts';
import type { RegisteredClient } from '../clients/clients.ts';
import type { Service } from '../service/service.ts';
import type { TokenResponse } from '../tokens/issue.ts';

export interface TokenRequest {
  readonly client: RegisteredClient;
  /** Only the parameters that the grant lists. */
  readonly parameters: Parameters;
  /** The caller, for throttling and the audit log. */
  readonly caller: Pick<FastifyRequest, 'ip' | 'id' | 'log'>;
}

export interface Grant {
  readonly parameters: readonly string[];
  /** Returns after the issued tokens are durable. */
  handle(request: TokenRequest, service: Service): Promise<TokenResponse>;
}
