import { createRequire } from 'node:module';
import { Writable } from 'node:stream';
import { type ChildLoggerOptions, type DestinationStream, type Logger, pino } from 'pino';
import { standardOutput } from './turn-lines.ts';

const require = createRequire(import.meta.url);

export interface LogOptions {
  readonly level: string;
  /** auto: pretty on a terminal, otherwise JSON. */
  readonly format: 'auto' | 'json' | 'pretty';
}

const secretFields = [
  'authorization',
  'cookie',
  'access_token',
  'refresh_token',
  'token',
  'client_secret',
  'app_secret',
  'appsecret',
  'secret',
  'password',
  'session_key',
] as const;

type SecretField = (typeof secretFields)[number];

/**
 * A second protection. The first is that no code logs a header, a body or a query. Lines of `withoutRedaction` do not have
 * it.
 */
const redactedPaths = secretFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]);

export function buildLog(options: LogOptions, destination?: DestinationStream): Logger {
  const settings = { level: options.level, redact: { paths: redactedPaths, censor: '[redacted]' } };
  return isPretty(options.format)
    ? pino(settings, readable(destination ?? lines()))
    : pino(settings, destination ?? standardOutput());
}

/** Loaded only for a person who reads the log in a terminal. */
function readable(destination: DestinationStream): DestinationStream {
  const pretty = require('pino-pretty') as typeof import('pino-pretty');
  return pretty({ destination: destination as Writable, sync: true });
}

function lines(): Writable {
  const write = (chunk: unknown, _encoding: string, done: () => void) => {
    standardOutput().write(String(chunk));
    done();
  };
  return new Writable({ write });
}

/** No member has the name of a secret. No member is an error, because the members of an error are not known. */
export type UnredactedLine = { readonly [Name in SecretField | 'err']?: never };

/**
 * A logger for lines of the type `UnredactedLine`. It does not search them for secrets, because the search costs thirty
 * times as much as the rest of the line.
 */
export function withoutRedaction<Log extends Parent<Log>>(log: Log, options: Level = {}): Log {
  return log.child({}, { ...options, redact: [] });
}

type Level = Pick<ChildLoggerOptions, 'level'>;

/** A logger of pino or of Fastify. */
interface Parent<Log> {
  child(bindings: object, options: ChildLoggerOptions): Log;
}

function isPretty(format: LogOptions['format']): boolean {
  return format === 'pretty' || (format === 'auto' && process.stdout.isTTY === true);
}
