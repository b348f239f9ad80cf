import type { FastifyInstance } from 'fastify';
import type { Health } from '../../../base/health.ts';
import type { LiveGeneration } from '../../generation/generation.ts';
import type { LiveGreeting } from '../live/live-stream.ts';
import { serversIn, upstreamsIn } from './health-view.ts';
import type { HealthHistory } from './history.ts';
import { LastReload } from './last-reload.ts';
import { routesIn } from './route-view.ts';

export interface HealthParts {
  readonly live: LiveGeneration;
  readonly history: HealthHistory;
  readonly greeting: () => LiveGreeting;
}

/** `GET /api/health`, `/api/routes`, and `/api/reload`: what the last reload changed. */
export function showHealth(
  app: FastifyInstance,
  { live, history, greeting }: HealthParts,
  health: Pick<Health, 'notReady' | 'remark'>,
): void {
  app.get('/api/health', async () => {
    const measures = await history.look();
    const fault = await health.notReady();
    return {
      ...greeting(),
      not_ready: fault ?? null,
      remark: health.remark?.() ?? null,
      servers: serversIn(live.current.config, measures),
      upstreams: upstreamsIn(measures),
      last_reload: (measures.one('gatehouse_config_last_reload_success_timestamp_seconds') ?? 0) * 1000,
      reload_failed: measures.one('gatehouse_config_last_reload_successful') === 0,
      reload_waiting: measures.one('gatehouse_config_reload_waiting') === 1,
      points: history.points,
    };
  });
  app.get('/api/routes', async () => ({ routes: routesIn(live.current.routes, await history.look(), history) }));
  const lastReload = new LastReload(live);
  app.get('/api/reload', () => lastReload.look());
}
