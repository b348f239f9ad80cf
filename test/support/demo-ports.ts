import { freePort } from './free-port.ts';

/** Every listener of the demo, by the option that moves it. */
export const demoListeners = ['gateway', 'authorization', 'api', 'client', 'admin', 'health'] as const;

/** Options that set each to a free port. */
export async function demoPorts(): Promise<readonly string[]> {
  const ports: string[] = [];
  for (const name of demoListeners) ports.push(`--${name}`, String(await freePort()));
  return ports;
}
