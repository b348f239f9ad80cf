import type { FastifyReply, FastifyRequest } from 'fastify';

/** One row of the service: a name for logs and metrics, the only method, where it is, what it does. */
export interface Endpoint {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  /** Below the path of the issuer. */
  readonly paths?: readonly string[];
  /** Whole. */
  readonly absolutePaths?: readonly string[];
  handle(request: FastifyRequest, reply: FastifyReply): object | Promise<object>;
}

export function endpointUrl(issuer: string, path: string): string {
  return issuer.replace(/\/$/, '') + path;
}

export function endpointPaths(issuer: string, { paths = [], absolutePaths = [] }: Endpoint): readonly string[] {
  return [...paths.map((path) => new URL(endpointUrl(issuer, path)).pathname), ...absolutePaths];
}
