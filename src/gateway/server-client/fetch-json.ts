import { type Dispatcher, request } from 'undici';
import { publicUrl } from '../../base/public-url.ts';
import { type JsonObject, parseJsonObject } from '../../jwt/json.ts';
import { statusFault } from './status-fault.ts';

/**
 * A JSON object from an authorization server, or why there is none. `detail` contains nothing from the server except
 * the origin of a redirect.
 */
export type Fetched = FetchedJson | FailedFetch;

export interface FetchedJson {
  readonly kind: 'json';
  readonly value: JsonObject;
  /** Seconds for which the answer is fresh, from the server. Undefined: the server does not say. */
  readonly maxAge?: number;
  /** Milliseconds since the answer arrived, if it was not just now. */
  readonly age?: number;
  /** Where a key set comes from, in the form for logs. */
  readonly url?: string;
}

export interface FailedFetch {
  readonly kind: 'failed';
  readonly detail: string;
  /** The status, if there was any answer. */
  readonly status?: number;
  /** `issuer`: the document belongs to another issuer (RFC 8414 §3.3). */
  readonly fault?: 'issuer';
  /** The URL of the call, in the form for logs. */
  readonly url?: string;
  /** The optional members of the document of another issuer. */
  readonly members?: readonly string[];
}

export interface JsonRequest {
  readonly url: string;
  readonly signal: AbortSignal;
  /** A form, which makes the method POST. */
  readonly form?: URLSearchParams;
  readonly headers?: Readonly<Record<string, string>>;
  /** false: accepts JSON with any content type, because key sets often come from plain file servers. */
  readonly judgeType?: boolean;
}

export type FetchJson = (request: JsonRequest) => Promise<Fetched>;

/** The total time for one answer. Nothing is worth delaying a request for longer. */
export const FETCH_DEADLINE = 5_000;
const MAX_BYTES = 1024 * 1024;
const JSON_TYPE = /^application\/(?:[a-z0-9.-]+\+)?json[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*"?utf-8"?[ \t]*)?$/i;
/** The server closed a kept connection. This says nothing about the server, so the gateway asks once more. */
const CUT = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

export function jsonFetcher(dispatcher: Dispatcher): FetchJson {
  return async (wanted) => {
    const fetched = await answerTo(dispatcher, wanted);
    return fetched.kind === 'failed' ? located(fetched, wanted.url) : fetched;
  };
}

async function answerTo(dispatcher: Dispatcher, wanted: JsonRequest): Promise<Fetched> {
  try {
    return await read(await send(dispatcher, wanted), wanted);
  } catch (error) {
    return failed(fetchFault(error));
  }
}

/** The result together with the URL that the gateway asked. */
export function located<Result extends Fetched>(fetched: Result, asked: string): Result {
  const url = publicUrl(asked);
  return url === undefined ? fetched : { ...fetched, url };
}

export function failed(detail: string, status?: number): FailedFetch {
  return status === undefined ? { kind: 'failed', detail } : { kind: 'failed', detail, status };
}

async function send(dispatcher: Dispatcher, wanted: JsonRequest): Promise<Dispatcher.ResponseData> {
  const { url, signal, form, headers } = wanted;
  const ask = () =>
    unlessAborted(
      signal,
      request(url, {
        dispatcher,
        signal,
        method: form === undefined ? 'GET' : 'POST',
        headers: { accept: 'application/json', ...formType(form), ...headers },
        body: form?.toString() ?? null,
      }),
    );
  return ask().catch((error: unknown) => {
    if (!CUT.has(codeOf(error))) throw error;
    return ask();
  });
}

/** undici checks the signal only on an open connection. If none opens, the caller would wait too long. */
function unlessAborted<Answer>(signal: AbortSignal, answer: Promise<Answer>): Promise<Answer> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  return Promise.race([answer, aborted]).finally(() => signal.removeEventListener('abort', abort));
}

function formType(form: URLSearchParams | undefined): Record<string, string> {
  return form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
}

async function read(answer: Dispatcher.ResponseData, wanted: JsonRequest): Promise<Fetched> {
  const { statusCode, body } = answer;
  // A cancelled body emits an error that has no consequence.
  body.on('error', () => {});
  const fault = judgeHead(answer, wanted);
  const bytes = fault === undefined ? await readAll(body, MAX_BYTES) : undefined;
  body.destroy();
  if (fault !== undefined) return failed(fault, statusCode);
  if (bytes === undefined) return failed('the answer is too large', statusCode);
  const value = parseJsonObject(bytes);
  if (value === undefined) return failed('the answer is not a valid JSON object', statusCode);
  return { kind: 'json', value, ...maxAge(answer.headers['cache-control']) };
}

/** RFC 9111 §5.2.2.1. */
function maxAge(cacheControl: string | string[] | undefined): { maxAge?: number } {
  const told = /(?:^|[ ,])max-age=([0-9]{1,9})(?:[ ,]|$)/i.exec(String(cacheControl ?? ''));
  return told === null ? {} : { maxAge: Number(told[1]) };
}

/** The gateway requests no content coding, and never decodes one. So a decompression bomb has no effect. */
function judgeHead(answer: Dispatcher.ResponseData, { url, judgeType = true }: JsonRequest): string | undefined {
  const { headers } = answer;
  const fault = statusFault(answer, url);
  if (fault !== undefined) return fault;
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') return 'the answer has a content coding';
  const type = headers['content-type'];
  if (judgeType && !(typeof type === 'string' && JSON_TYPE.test(type))) return 'the answer is not of type JSON';
  return Number(headers['content-length'] ?? 0) > MAX_BYTES ? 'the answer is too large' : undefined;
}

/** Undefined: the body has more bytes than `most`. */
export async function readAll(body: AsyncIterable<Uint8Array>, most: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > most) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Only codes and names: a message may quote what the server sent. */
export function fetchFault(error: unknown, deadline = FETCH_DEADLINE): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `no answer within ${deadline} ms`;
  return codeOf(error) || (error instanceof Error ? error.name : 'unknown failure');
}
