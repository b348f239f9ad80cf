import { type Code, entry } from '../message/codes.ts';
import type { ProblemMembers } from './problem-members.ts';

/** The gateway's own answer, ready to be written. */
export interface OwnAnswer {
  readonly status: number;
  /** Name, value, name, value, … */
  readonly headers: readonly string[];
  readonly body: string;
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  413: 'Content Too Large',
  417: 'Expectation Failed',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

export function reasonPhrase(status: number): string {
  return TITLES[status] ?? 'Error';
}

export interface ProblemDetails {
  readonly challenges?: readonly string[];
  readonly allow?: readonly string[] | undefined;
  /** Seconds. */
  readonly retryAfter?: number | undefined;
  readonly requestId?: { readonly header: string; readonly value: string };
  /** The encrypted decision record. The client sends it to the operator. */
  readonly ticket?: string;
  readonly said?: ProblemMembers;
}

/**
 * RFC 9457 problem details. `type` is absent, which means about:blank, so `title` is the status phrase (§4.2.1).
 * Programs use the stable `code`. The body contains no address, no stack, and nothing about the upstream.
 */
export function problemResponse(
  code: Code,
  { challenges = [], allow, retryAfter, requestId, ticket, said }: ProblemDetails,
): OwnAnswer {
  const { status, text } = entry(code);
  const problem = {
    title: reasonPhrase(status),
    status,
    code,
    detail: text,
    ...said,
    request_id: requestId?.value,
    ticket,
  };
  const body = `${JSON.stringify(problem)}\n`;
  const headers = ['content-type', 'application/problem+json', 'content-length', String(Buffer.byteLength(body))];
  headers.push('cache-control', 'no-store');
  for (const challenge of challenges) headers.push('www-authenticate', challenge);
  if (allow !== undefined) headers.push('allow', allow.join(', '));
  if (retryAfter !== undefined) headers.push('retry-after', String(retryAfter));
  if (requestId !== undefined) headers.push(requestId.header, requestId.value);
  return { status, headers, body };
}
