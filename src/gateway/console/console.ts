import type { FastifyInstance } from 'fastify';
import type { Health } from '../../base/health.ts';
import type { LiveGeneration } from '../generation/generation.ts';
import { apiCalls } from './api-schema.ts';
import { servePages } from './assets.ts';
import { showHealth } from './health/health-routes.ts';
import type { HealthHistory } from './health/history.ts';
import type { LiveHub } from './live/hub.ts';
import { type LiveGreeting, streamLive } from './live/live-stream.ts';
import { answerQuestions } from './questions/question-routes.ts';
import type { RunningFiles } from './questions/running-file.ts';

/** What the console reads. */
export interface ConsoleParts {
  readonly live: LiveGeneration;
  readonly hub: LiveHub;
  readonly files: RunningFiles;
  readonly history: HealthHistory;
  readonly greeting: () => LiveGreeting;
}

/** The API below `/api` and the pages below `/console`, on the admin listener. */
export function addConsole(app: FastifyInstance, parts: ConsoleParts, health: Health): void {
  app.addHook('onRequest', async ({ url }, reply) => {
    if (url.startsWith('/api/'))
      void reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  });
  streamLive(app, parts.hub, parts.greeting);
  answerQuestions(app, parts);
  showHealth(app, parts, health);
  app.addHook('onClose', async () => {
    parts.history.close();
    parts.files.forget();
  });
  app.get('/api/schema', () => apiCalls);
  servePages(app);
}
