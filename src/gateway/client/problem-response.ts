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
  415: 'Unsupported Media Type',
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
  /** The refused message of an `mcp` route. Undefined: the answer is a problem document. */
  readonly rpc?: RefusedMessage | undefined;
}

/** A JSON-RPC request whose client reads JSON. */
export interface RefusedMessage {
  /** Null: the gateway found no id (JSON-RPC 2.0 §5). */
  readonly id: string | number | null;
  /** The JSON-RPC error. Undefined: the error of the code. */
  readonly error?: number | undefined;
  /** Members of the error's data that the protocol defines. */
  readonly data?: object | undefined;
}

/**
 * RFC 9457 problem details. `type` is absent, which means about:blank, so `title` is the status phrase (§4.2.1).
 * Programs use the stable `code`. The body contains no address, no stack, and nothing about the upstream.
 */
export function problemResponse(
  code: Code,
  { challenges = [], allow, retryAfter, requestId, ticket, said, rpc }: ProblemDetails,
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
  const body = `${JSON.stringify(rpc === undefined ? problem : rpcError(code, rpc, problem))}\n`;
  const type = rpc === undefined ? 'application/problem+json' : 'application/json';
  const headers = ['content-type', type, 'content-length', String(Buffer.byteLength(body))];
  headers.push('cache-control', 'no-store');
  for (const challenge of challenges) headers.push('www-authenticate', challenge);
  if (allow !== undefined) headers.push('allow', allow.join(', '));
  if (retryAfter !== undefined) headers.push('retry-after', String(retryAfter));
  if (requestId !== undefined) headers.push(requestId.header, requestId.value);
  return { status, headers, body };
}

/** JSON-RPC 2.0 §5.1. The codes from -32000 to -32099 belong to others (MCP base protocol, error codes). */
function rpcError(code: Code, { id, error, data }: RefusedMessage, problem: { readonly detail: string }): object {
  const { status, rpc = status < 500 ? -32600 : -32603 } = entry(code);
  return { jsonrpc: '2.0', id, error: { code: error ?? rpc, message: problem.detail, data: { ...problem, ...data } } };
}
