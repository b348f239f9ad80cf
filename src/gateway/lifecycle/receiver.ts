import type { Server as HttpsServer, ServerOptions } from 'node:https';
import type { Registry } from 'prom-client';
import { listen } from '../../base/listen.ts';
import type { Listen } from '../../config/schema/listener.ts';
import { guardHandshakes, tlsOptions, tlsRenewal } from '../listener/tls.ts';
import { Receiving, type ReportingServer } from '../receiver/receiving.ts';
import { Relays } from '../receiver/relay.ts';
import type { Core } from './core.ts';
import { openPollers } from './pollers.ts';
import { buildReceiverListener, MOST_CONNECTIONS } from './receiver-listener.ts';
import { receiverMetrics } from './receiver-metrics.ts';

export interface OpenedReceiver {
  /** Undefined: the gateway only polls. */
  readonly url: string | undefined;
  close(): Promise<unknown>;
}

type Around = Pick<Core, 'live' | 'clock' | 'directory' | 'log' | 'renewals' | 'received' | 'refused'>;

/** Opens the listener that the file names, and polls. Undefined: no server reports. Rejects if its address is taken. */
export async function openReceiver(core: Around, registry: Registry): Promise<OpenedReceiver | undefined> {
  if (core.received === undefined) return undefined;
  const receiving = new Receiving((name) => senderOf(core, name), core.log);
  receiverMetrics(registry, receiving, core.received);
  const listener = await openListener(core, receiving);
  const pollers = openPollers(core, receiving);
  return { url: listener?.url, close: () => Promise.all([listener?.close(), pollers.close()]) };
}

async function openListener(core: Around, receiving: Receiving): Promise<OpenedReceiver | undefined> {
  const { receiver } = core.live.current.config;
  if (receiver === undefined || core.received === undefined) return undefined;
  const relays = new Relays(core.received, core.clock, core.log);
  const app = buildReceiverListener({
    receiving,
    tls: secureOptions(receiver.listen, core.directory),
    log: core.log,
    relay: (name, token, receipt) => relays.relay(senderOf(core, name), { name, token, receipt }),
  });
  core.refused.watch(app.server, 'receiver.listen', () => FULL);
  renewCertificate(app.server as HttpsServer, receiver.listen, core);
  const close = () => app.close();
  try {
    const url = await listen(app, receiver.listen, 'receiver.listen');
    return { url: receiver.listen.tls === undefined ? url : url.replace(/^http:/, 'https:'), close };
  } catch (error) {
    await close();
    throw error;
  }
}

const FULL = `the limit of this listener (${MOST_CONNECTIONS}) is reached`;

function senderOf({ live, directory }: Around, name: string): ReportingServer | undefined {
  const { config, verifiers } = live.current;
  if (!Object.hasOwn(config.authorization_servers, name)) return undefined;
  const block = config.authorization_servers[name];
  const receiver = verifiers.server(name)?.receiver;
  return block && receiver && { config: block, receiver, directory };
}

function secureOptions({ tls, ...address }: Listen, directory: string): ServerOptions | undefined {
  return tls && tlsOptions({ ...address, tls }, directory);
}

/** Does nothing without TLS. */
function renewCertificate(server: HttpsServer, { tls }: Listen, { directory, log, renewals }: Around): void {
  if (tls === undefined) return;
  guardHandshakes(server, tls);
  renewals.add(tlsRenewal(server, { tls, directory, log, authorityGone: () => server.closeIdleConnections() }));
}
