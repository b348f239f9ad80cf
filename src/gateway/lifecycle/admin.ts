import type { FastifyInstance } from 'fastify';
import { buildHealth, type Health } from '../../base/health.ts';
import type { PathSegment } from '../../config/path-pattern.ts';
import type { Route } from '../routing/route.ts';
import { streamDecisions, type WatchedDecisions } from '../telemetry/decision-stream.ts';
import type { LiveGeneration } from './generation.ts';
import type { Reloaded } from './reload.ts';

/** The management listener: what probes ask, the compiled routes, what became of requests. Never on a public address. */
export function buildAdmin(health: Health, live: LiveGeneration, { decisions, reload }: Views): FastifyInstance {
  const app = buildHealth(health, { routerOptions: { maxParamLength: 8192 } });
  streamDecisions(app, decisions);
  app.get<{ Params: { ticket: string } }>('/why/:ticket', ({ params }, reply) => {
    const opened = live.current.shared.tickets.open(params.ticket);
    return opened.kind === 'opened' ? opened.record : reply.code(404).send({ error: opened.kind });
  });
  app.get('/routes', () => live.current.routes.map(describeRoute));
  if (reload !== undefined) addReload(app, reload);
  return app;
}

/** What operators look into, and what they may ask for. */
export interface Views {
  readonly decisions: WatchedDecisions;
  /** Absent where there is no file to read again. */
  readonly reload: (() => Promise<Reloaded>) | undefined;
}

function addReload(app: FastifyInstance, reload: () => Promise<Reloaded>): void {
  app.post('/reload', async (_request, reply) => {
    const { ok, ...summary } = await reload();
    return reply.code(ok ? 200 : 422).send(summary);
  });
}

function describeRoute({ id, host, segments, methods, access, requirements, upstream }: Route) {
  return {
    id,
    host,
    path: `/${segments.map(segmentText).join('/')}`,
    methods: methods === undefined ? undefined : [...methods],
    access,
    scope: requirements.scope?.map((alternative) => alternative.join(' ')),
    upstream: upstream.name,
  };
}

const segmentForms: { [Kind in PathSegment['kind']]: (segment: Extract<PathSegment, { kind: Kind }>) => string } = {
  literal: ({ text }) => text,
  one: ({ name }) => `{${name}}`,
  rest: ({ name }) => `{${name}*}`,
};

function segmentText(segment: PathSegment): string {
  const form = segmentForms[segment.kind] as (segment: PathSegment) => string;
  return form(segment);
}
