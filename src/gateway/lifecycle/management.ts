import type { FastifyInstance } from 'fastify';
import type { Health } from '../../base/health.ts';
import { listen } from '../../base/listen.ts';
import type { AdminConfig } from '../../config/schema/admin.ts';
import type { Address } from '../../config/words/schema.ts';
import { renewHttps } from '../console/access/https.ts';
import { buildAdmin, type Views } from './admin.ts';
import type { Core } from './core.ts';
import { buildHealthListener } from './health-listener.ts';

/** The listeners for operators: management and health. */
export interface Management {
  readonly urls: { readonly adminUrl: string | undefined; readonly healthUrl: string | undefined };
  close(): Promise<void>;
}

/** `renewals`: gets what a reload does with the certificate of operators. */
type Managed = Pick<Core, 'live' | 'directory' | 'log' | 'renewals'>;

/** Opens the listeners that the file names. Rejects with the listener's error if an address is taken. */
export async function openManagement(health: Health, core: Managed, views: Views): Promise<Management> {
  const { live } = core;
  const { config } = live.current;
  const opened: FastifyInstance[] = [];
  const close = async () => void (await Promise.all(opened.map((instance) => instance.close())));
  const open = async (instance: FastifyInstance, address: Address, key: string): Promise<string> => {
    opened.push(instance);
    return listen(instance, address, key);
  };
  try {
    const { admin, health: probed } = config;
    const adminUrl = admin && (await open(openAdmin(health, { ...core, admin }, views), admin, 'admin'));
    const healthUrl = probed && (await open(buildHealthListener(health, probed.host, live), probed, 'health'));
    return { urls: { adminUrl, healthUrl }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function openAdmin(health: Health, core: Managed & { readonly admin: AdminConfig }, views: Views): FastifyInstance {
  const app = buildAdmin(health, core, views);
  renewHttps(app, core.admin, core);
  return app;
}
