import type { FastifyInstance } from 'fastify';
import { buildHealth, type Health } from '../../base/health.ts';
import type { PathSegment } from '../../config/words/path-pattern.ts';
import { guardConsole } from '../console/access/guard.ts';
import { httpsOptions } from '../console/access/https.ts';
import type { AccessParts } from '../console/access/login-server.ts';
import { ownHosts, ownPages } from '../console/access/own-address.ts';
import { answerErrors, sendError } from '../console/api-error.ts';
import { addConsole, type ConsoleParts } from '../console/console.ts';
import type { Route } from '../decide/route.ts';
import { alternativeTexts } from '../message/scope-requirement.ts';
import { streamDecisions, type WatchedDecisions } from '../telemetry/decision-stream.ts';
import type { Reload } from './reload.ts';

/** The admin listener: probes, the compiled routes, and recent decisions. `admin.access` says who may use it. */
export function buildAdmin(
  health: Health,
  { admin, live, directory }: AccessParts,
  { decisions, reload, console }: Views,
): FastifyInstance {
  const options = { routerOptions: { maxParamLength: 8192 }, ...httpsOptions(admin, directory) };
  const app = buildHealth(health, ownHosts(admin), options, ownPages(admin));
  answerErrors(app, () => live.current.shared.log);
  guardConsole(app, { admin, live, directory });
  streamDecisions(app, decisions);
  app.get<{ Params: { ticket: string } }>('/why/:ticket', ({ params }, reply) => {
    const opened = live.current.shared.tickets.open(params.ticket);
    return opened.kind === 'opened' ? opened.record : sendError(reply, 404, opened.kind);
  });
  app.get('/routes', () => live.current.routes.map(describeRoute));
  if (reload !== undefined) addReload(app, reload);
  if (admin.console) addConsole(app, console, health);
  return app;
}

/** What operators can view and request. */
export interface Views {
  readonly decisions: WatchedDecisions;
  /** Undefined: there is no file to reload. */
  readonly reload: Reload | undefined;
  readonly console: ConsoleParts;
}

/**
 * No web page can request a reload. A script's request to another origin has `Origin`, which this listener judges on
 * every request. An old browser's form has no `Origin`, but it has a body of one of three types. This listener accepts
 * none of these types: 415.
 */
function addReload(app: FastifyInstance, reload: Reload): void {
  app.removeContentTypeParser('text/plain');
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
    scope: requirements.scope && alternativeTexts(requirements.scope),
    scope_implied_by: requirements.scope?.impliers && Object.fromEntries(requirements.scope.impliers),
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
