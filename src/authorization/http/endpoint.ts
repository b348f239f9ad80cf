import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Cors } from './cors.ts';
import type { AnswerError } from './errors.ts';

/** One row of the service: a name for logs and metrics, one method, where it is, what it does. */
export interface Endpoint {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  /** Below the path of the issuer. */
  readonly paths?: readonly string[];
  /** The name of one more segment, which ends each of the paths. */
  readonly parameter?: string;
  /** Whole. */
  readonly absolutePaths?: readonly string[];
  /** False: a GET that changes something, so that HEAD is another method. */
  readonly head?: false;
  /** Absent: pages of other origins cannot read the answer. */
  readonly cors?: Cors;
  /** Headers of every response, including errors. */
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of RFC 6749 §5.2 JSON. */
  readonly answerError?: AnswerError;
  handle(request: FastifyRequest, reply: FastifyReply): object | Promise<object>;
}

export function endpointUrl(issuer: string, path: string): string {
  return issuer.replace(/\/$/, '') + path;
}

export function endpointPath(issuer: string, path: string): string {
  return new URL(endpointUrl(issuer, path)).pathname;
}

export function endpointPaths(issuer: string, { paths = [], absolutePaths = [] }: Endpoint): readonly string[] {
  return [...paths.map((path) => endpointPath(issuer, path)), ...absolutePaths];
}
