import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Cors } from './cors.ts';
import type { AnswerError } from './errors.ts';

/** One endpoint: its name in logs and metrics, its method, its paths and its handler. */
export interface Endpoint {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The body of a POST or PUT. Default: a form. */
  readonly body?: 'json';
  /** Paths below the path of the issuer. */
  readonly paths?: readonly string[];
  /** The name of one more segment at the end of each path. */
  readonly parameter?: string;
  /** Complete paths. */
  readonly absolutePaths?: readonly string[];
  /** False: the GET changes something, so HEAD is not allowed. */
  readonly head?: false;
  /** Absent: pages of other origins cannot read the answer. */
  readonly cors?: Cors;
  /** A POST may have no body. */
  readonly isBodyOptional?: true;
  /** Headers of every response, including errors. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces the JSON of RFC 6749 §5.2. */
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
