import { Agent, type Dispatcher, request } from 'undici';
import type { ReplicaConfig } from '../../../config/schema/admin.ts';
import { formatBasic } from '../../../http-auth/basic.ts';
import { connectOptions, NO_AUTHORITY, trustOf } from '../../server-client/trust.ts';

/** A question about the decisions of another gateway. */
export interface ReplicaQuestion {
  readonly query: Readonly<Record<string, string>>;
  /** The media type of the answer. */
  readonly accept: string;
  readonly signal: AbortSignal;
  /** Milliseconds without a byte, after which the connection counts as lost. */
  readonly silence: number;
  /** Where relative filenames of the configuration start. */
  readonly directory: string;
}

/** Asks over a connection of its own. So it reads the files of `tls` in their current state. */
export async function askReplica(
  address: ReplicaConfig,
  { query, accept, signal, silence, directory }: ReplicaQuestion,
): Promise<Dispatcher.ResponseData> {
  const trust = trustOf(address, { directory });
  if (trust.kind === 'none') throw new Error(NO_AUTHORITY);
  const dispatcher = new Agent({ connect: connectOptions(trust) });
  const options = { dispatcher, signal, headersTimeout: silence, bodyTimeout: silence };
  const url = `${new URL(address.url).origin}/api/decisions?${new URLSearchParams(query)}`;
  // The agent closes once its answer has ended.
  return await request(url, { ...options, headers: headersOf(address, accept) }).finally(() => void dispatcher.close());
}

function headersOf({ username, password = '' }: ReplicaConfig, accept: string): Record<string, string> {
  return { accept, ...(username !== undefined && { authorization: formatBasic(username, password) }) };
}
