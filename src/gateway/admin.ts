import type { FastifyInstance } from 'fastify';
import { buildHealth, type Health } from '../base/health.ts';
import type { PathSegment } from '../config/path-pattern.ts';
import type { Route } from './route.ts';

/** The management listener: what probes ask, and the compiled routes. Never on a public address. */
export function buildAdmin(health: Health, routes: readonly Route[]): FastifyInstance {
  const app = buildHealth(health);
  app.get('/routes', () => routes.map(describeRoute));
  return app;
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
