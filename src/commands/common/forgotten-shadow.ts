import { statSync } from 'node:fs';
import type { Logger } from 'pino';
import { loadGatewayConfig } from '../../config/load/load.ts';
import { isShadow } from '../../gateway/generation/shadow-mode.ts';

/** Milliseconds. */
export const DAY_IN_MS = 86_400_000;
/** Days after which shadow mode looks forgotten. */
export const LONG = 30;

/** Says at once and then each day, for as long as it is so, that shadow mode looks forgotten. */
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
  'shadow mode refuses nothing, and the file has not changed for 30 days or more. To refuse: `mode: enforce`';

/** 0 if it cannot be read: a reminder must not end the program. */
function daysUnchanged(file: string): number {
  try {
    return Math.floor((Date.now() - statSync(file).mtimeMs) / DAY_IN_MS);
  } catch {
    return 0;
  }
}

/** A file that cannot be loaded has none: another log line says so. */
function shadowRoutes(file: string): readonly string[] {
  const loaded = loadGatewayConfig(file);
  if (!loaded.ok) return [];
  const { config } = loaded;
  return config.routes.filter((route) => isShadow(config, route)).map(({ id }) => id);
}
