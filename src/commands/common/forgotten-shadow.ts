import { statSync } from 'node:fs';
import type { Logger } from 'pino';
import { loadGatewayConfig } from '../../config/load/load.ts';
import { isShadow } from '../../gateway/generation/shadow-mode.ts';

/** Milliseconds. */
export const DAY_IN_MS = 86_400_000;
/** After this many days without a change, shadow mode looks forgotten. */
export const LONG = 30;

/** Logs at once, and then daily, while shadow mode looks forgotten. */
export function remindOfShadow(file: string, log: Logger): void {
  const remind = () => {
    const days = daysUnchanged(file);
    const routes = days < LONG ? [] : shadowRoutes(file);
    if (routes.length > 0) log.warn({ days, routes: routes.slice(0, SHOWN) }, FORGOTTEN);
  };
  remind();
  setInterval(remind, DAY_IN_MS).unref();
}

const SHOWN = 10;

const FORGOTTEN =
  'shadow mode refuses nothing, and the file has not changed for 30 days or more. To refuse requests, write `mode: enforce`';

/** 0 if the file cannot be read: a reminder must not end the program. */
function daysUnchanged(file: string): number {
  try {
    return Math.floor((Date.now() - statSync(file).mtimeMs) / DAY_IN_MS);
  } catch {
    return 0;
  }
}

/** Empty for a file that does not load: another log line reports it. */
function shadowRoutes(file: string): readonly string[] {
  const loaded = loadGatewayConfig(file);
  if (!loaded.ok) return [];
  const { config } = loaded;
  return config.routes.filter((route) => isShadow(config, route)).map(({ id }) => id);
}
