import type { FastifyInstance } from 'fastify';
import type { Health } from '../../base/health.ts';
import { listen } from '../../base/listen.ts';
import type { Address } from '../../config/words/schema.ts';
import { buildAdmin, type Views } from './admin.ts';
import type { Core } from './core.ts';
import { buildHealthListener } from './health-listener.ts';

/** The listeners for operators: management and health. */
export interface Management {
  readonly urls: { readonly adminUrl: string | undefined; readonly healthUrl: string | undefined };
  close(): Promise<void>;
}

/** Opens the listeners that the file names. Rejects with the listener's error if an address is taken. */
export async function openManagement(health: Health, { live }: Pick<Core, 'live'>, views: Views): Promise<Management> {
  const { config } = live.current;
  const opened: FastifyInstance[] = [];
  const close = async () => void (await Promise.all(opened.map((instance) => instance.close())));
  const open = async (instance: FastifyInstance, address: Address, key: string): Promise<string> => {
    opened.push(instance);
    return listen(instance, address, key);
  };
  try {
    const { admin, health: probed } = config;
    const adminUrl = admin && (await open(buildAdmin(health, admin.host, live, views), admin, 'admin'));
    const healthUrl = probed && (await open(buildHealthListener(health, probed.host, live), probed, 'health'));
    return { urls: { adminUrl, healthUrl }, close };
  } catch (error) {
    await close();
    throw error;
  }
}
