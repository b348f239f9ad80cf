import { Client, type ClientConfig } from 'pg';
import { answerWithin } from '../../base/answer-within.ts';
import { pollEvents, type WatchEvents } from '../engine/watch.ts';

/** Milliseconds. */
const POLL = 1_000;
const RETRY = 500;
const CONNECT = 2_000;
/** Milliseconds. Without requests, a dead connection would go unnoticed. */
const PROBE = 5_000;

/** LISTEN on a separate connection, which reconnects after a loss. Polling covers the gap. */
export function listenToPostgres(config: ClientConfig): WatchEvents {
  const poll = pollEvents(POLL);
  return (wake) => {
    const stopPolling = poll(wake);
    const stopListening = keepListening(config, wake);
    return async () => {
      await stopPolling();
      await stopListening();
    };
  };
}

function keepListening(config: ClientConfig, wake: () => void): () => Promise<void> {
  let isStopped = false;
  let held: Listener | undefined;
  let retry: NodeJS.Timeout | undefined;
  const again = () => {
    held = undefined;
    if (!isStopped) retry = setTimeout(begin, RETRY).unref();
  };
  const begin = () => {
    held = listen(config, { wake, again });
  };
  begin();
  return async () => {
    isStopped = true;
    clearTimeout(retry);
    await held?.end();
  };
}

interface Listener {
  end(): Promise<void>;
}

interface Told {
  readonly wake: () => void;
  /** Called once, when the connection is no longer usable. */
  readonly again: () => void;
}

function listen(config: ClientConfig, { wake, again }: Told): Listener {
  const client = new Client({ ...config, connectionTimeoutMillis: CONNECT, keepAlive: true });
  let isOver = false;
  const end = async () => {
    clearInterval(probe);
    // A server that vanished never closes its end of the connection.
    await answerWithin(client.end(), CONNECT).catch(ignore);
  };
  const lost = () => {
    if (isOver) return;
    isOver = true;
    void end();
    again();
  };
  const ask = (sql: string) => answerWithin(client.query(sql), CONNECT);
  const probe = setInterval(() => void ask('SELECT 1').catch(lost), PROBE).unref();
  client.on('error', lost);
  client.on('end', lost);
  client.on('notification', wake);
  client
    .connect()
    .then(() => ask('LISTEN gatehouse_event'))
    // No notification reports commits from before the connection.
    .then(wake, lost);
  return {
    end() {
      isOver = true;
      return end();
    },
  };
}

function ignore(): void {}
