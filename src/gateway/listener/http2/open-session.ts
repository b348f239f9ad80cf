import { performServerHandshake, type ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { Clock } from '../../../base/clock.ts';
import type { LimitsConfig } from '../../../config/schema/gateway.ts';
import type { ListenerState } from '../../client/exchange.ts';
import type { Stalls } from '../../client/stalls.ts';
import { MAX_HEADER_SIZE } from '../../upstreams/engine.ts';
import { ClientSession } from './client-session.ts';

/** What all HTTP/2 connections of a listener share. */
export interface SessionOptions {
  /** The current limits. */
  readonly limits: () => LimitsConfig;
  readonly clock: Clock;
  readonly stalls: Stalls;
  readonly listener: Pick<Readonly<ListenerState>, 'draining' | 'sessions'>;
  /** Called for a connection that broke the protocol. */
  readonly broken: () => void;
}

/** What differs for a caller, such as a proxy. */
export interface ForCaller {
  /** One connection of a proxy has the requests of many clients. It resets a stream if its own client leaves. */
  readonly isProxy: boolean;
}

/** Concurrent requests of one connection. RFC 9113 §6.5.2 recommends at least a hundred. */
const STREAMS = 100;
/** Bytes of a body that a client may send ahead of the upstream: in one request, and in the whole connection. */
const STREAM_WINDOW = 128 * 1024;
const WINDOW = 1024 * 1024;
/** RFC 9113 §6.5.2 adds this number to the name and value of each line. */
const LINE = 32;
/** A head is read up to this many times the limit, so that an answer can say what is wrong. */
const ANSWERED = 4;
/** Streams that a client may reset: at once, and in each later second (CVE-2023-44487). */
const RESETS = { streamResetBurst: 200, streamResetRate: 33 };
/** The connection ends after this many invalid frames that do not end it themselves. */
const INVALID_FRAMES = 100;

/**
 * Bytes of a header section to the client, as nghttp2 counts them: 12 times an upstream's limit. For a longer section,
 * nghttp2 would end the connection with all its streams.
 */
const MOST_SENT = 12 * MAX_HEADER_SIZE;

/** Practically no limit. Before Envoy has the settings, it sends as many requests as it has. */
const MANY = 1_000_000;

/** For strangers, and for a trusted proxy. */
const strangers = { streams: STREAMS, resets: RESETS, rejected: INVALID_FRAMES };
const proxies = { streams: MANY, resets: { streamResetBurst: MANY, streamResetRate: MANY }, rejected: MANY };

function sessionOptions({ header_size, header_count }: LimitsConfig, isProxy: boolean) {
  const { streams, resets, rejected } = isProxy ? proxies : strangers;
  return {
    ...resets,
    settings: {
      maxConcurrentStreams: streams,
      initialWindowSize: STREAM_WINDOW,
      maxHeaderListSize: ANSWERED * (header_size + header_count * LINE),
    },
    maxSendHeaderBlockLength: MOST_SENT,
    // Pseudo-headers count as lines here.
    maxHeaderListPairs: ANSWERED * header_count + 8,
    maxSessionInvalidFrames: INVALID_FRAMES,
    maxSessionRejectedStreams: rejected,
    // An upstream may repeat a field that must occur once. The gateway relays this over HTTP/1.1, too.
    strictSingleValueFields: false,
  };
}

/** Speaks HTTP/2 on an accepted connection, with the limits and timeouts of a listener for unknown clients. */
export function openSession(
  socket: Socket,
  { limits, clock, stalls, listener, broken }: SessionOptions,
  { isProxy = false }: Partial<ForCaller> = {},
): { readonly session: ServerHttp2Session; readonly watched: ClientSession } {
  const session = performServerHandshake(socket, sessionOptions(limits(), isProxy));
  const watched = new ClientSession(session, { socket, limits, now: () => clock.monotonic() });
  session.setLocalWindowSize(WINDOW);
  session.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_HTTP2_ERROR') broken();
  });
  listener.sessions.add(watched);
  stalls.watch(watched);
  socket.once('close', () => {
    listener.sessions.delete(watched);
    stalls.forget(watched);
  });
  if (listener.draining) watched.close();
  return { session, watched };
}
