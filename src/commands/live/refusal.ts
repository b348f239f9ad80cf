import type { Dispatcher } from 'undici';
import { parseJsonObject } from '../../jwt/json.ts';
import type { Replica } from './replica.ts';

/** Why a gateway gives no decisions. */
export interface LiveEnd {
  readonly detail: string;
  /** True if the same request gets the same answer, so the command does not repeat it. */
  readonly isFinal: boolean;
}

/** Undefined: the gateway sends what was asked for. Otherwise, the body of the answer is read. */
export async function refusalIn(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  { authorization }: Replica,
  type: string,
): Promise<LiveEnd | undefined> {
  if (statusCode === 200 && String(headers['content-type']).startsWith(type)) return undefined;
  const isFinal = statusCode < 500 && statusCode !== 429;
  const told = errorIn(await body.text());
  if (statusCode === 200) return { detail: NOT_THERE, isFinal };
  if (statusCode === 401) return { detail: authorization === undefined ? LOGIN : WRONG, isFinal };
  if (statusCode === 403) return { detail: `the listener does not allow this: ${told ?? FORBIDDEN}`, isFinal };
  return {
    detail:
      texts[statusCode] ?? (statusCode >= 400 ? told : undefined) ?? `the listener answers with status ${statusCode}`,
    isFinal,
  };
}

const NOT_THERE = 'no console answers there. Name the `admin` listener of a gateway whose console is on';
const LOGIN = 'the listener requires a login. Use --user NAME, and --password-file FILE or standard input';
const WRONG = 'the listener does not accept this user with this password';

const FORBIDDEN =
  'write the address of the listener exactly as in the file of the gateway, and name a user who may open the console';

const texts: Readonly<Record<number, string>> = {
  404: NOT_THERE,
  429: 'the listener got too many wrong passwords from this address, and checks no password for a while',
};

function errorIn(text: string): string | undefined {
  const { error } = parseJsonObject(Buffer.from(text)) ?? {};
  return typeof error === 'string' ? error : undefined;
}
