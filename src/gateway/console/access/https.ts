import type { Server as HttpsServer } from 'node:https';
import type { FastifyInstance, FastifyServerOptions } from 'fastify';
import type { Logger } from 'pino';
import type { AdminConfig } from '../../../config/schema/admin.ts';
import { guardHandshakes, tlsOptions, tlsRenewal } from '../../listener/tls.ts';

/** Options of the framework, without client certificates. Empty without TLS. */
export function httpsOptions({ host, port, tls }: AdminConfig, directory: string): FastifyServerOptions {
  if (tls === undefined) return {};
  const https = tlsOptions({ host, port, tls: { ...tls, ...ANYONE } }, directory);
  // The framework's type of an HTTPS server differs, but only in the type of its connections.
  return { https } as FastifyServerOptions;
}

const ANYONE = { client_auth: 'none' } as const;

interface Around {
  readonly directory: string;
  readonly log: Logger;
  /** Run at each reload. */
  readonly renewals: Set<() => void>;
}

/** Reads the certificate again at each reload. Does nothing without TLS. */
export function renewHttps(
  { server }: FastifyInstance,
  { tls }: AdminConfig,
  { directory, log, renewals }: Around,
): void {
  if (tls === undefined) return;
  const secure = server as unknown as HttpsServer;
  const config = { ...tls, ...ANYONE };
  guardHandshakes(secure, config);
  renewals.add(tlsRenewal(secure, { tls: config, directory, log, authorityGone: () => {} }));
}
