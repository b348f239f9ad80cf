import type { BearerMethod } from '../../config/schema/gateway.ts';
import type { DecisionEngine } from '../decide/engine.ts';
import type { Outcome } from '../decide/outcome.ts';
import type { Route } from '../decide/route.ts';
import type { RequestHead } from '../message/request-head.ts';
import type { HttpScheme } from '../schemes/http-scheme.ts';
import { assumedCredentials } from './assumed-schemes.ts';
import { withMessage } from './simulated-call.ts';
import { type SimulatedRequest, simulatedHead } from './simulated-request.ts';

/** The engine's outcome for a request, and the request in its final form. */
export interface SimulatedOutcome {
  readonly head: RequestHead;
  /** Undefined: no route matches, or the request was refused earlier. */
  readonly route: Route | undefined;
  readonly outcome: Outcome;
}

/** Judges one request as the proxy would. The token is in a place that the route accepts. */
export async function simulate(engine: DecisionEngine, asked: SimulatedRequest): Promise<SimulatedOutcome> {
  const first = engine.route(simulatedHead(asked));
  if (first.kind !== 'routed') return { head: simulatedHead(asked), route: first.route, outcome: first };
  const { request, body } = carry(asked, first.route);
  const routed = request === asked ? first : engine.route(simulatedHead(request));
  if (routed.kind !== 'routed') return { head: simulatedHead(request), route: routed.route, outcome: routed };
  const outcome = await engine.decide(routed, engine.needs(routed) && body);
  return { head: routed.head, route: outcome.route ?? routed.route, outcome };
}

interface Carried {
  readonly request: SimulatedRequest;
  readonly body?: Buffer;
}

/** Where a request carries a token (RFC 6750 §2). */
const places: Readonly<Record<BearerMethod, (asked: SimulatedRequest, token: string) => Carried>> = {
  header: (asked) => ({ request: asked }),
  query: ({ token: _token, ...asked }, token) => {
    const target = `${asked.target}${asked.target.includes('?') ? '&' : '?'}access_token=${token}`;
    return { request: { ...asked, target } };
  },
  body: ({ token: _token, ...asked }, token) => {
    const form = Buffer.from(`access_token=${token}`, 'latin1');
    const headers: SimulatedRequest['headers'] = [
      ...(asked.headers ?? []),
      ['Content-Type', 'application/x-www-form-urlencoded'],
      ['Content-Length', String(form.length)],
    ];
    return { request: { ...asked, headers }, body: form };
  },
};

/** Puts the credentials in the first place that the scheme accepts. */
function presenting(asked: SimulatedRequest, { places = [] }: HttpScheme, credentials: string): SimulatedRequest {
  const [first] = places;
  if (first?.in === 'query') {
    const pair = `${first.name}=${encodeURIComponent(credentials)}`;
    return { ...asked, target: `${asked.target}${asked.target.includes('?') ? '&' : '?'}${pair}` };
  }
  return { ...asked, headers: [...(asked.headers ?? []), [first?.name ?? 'Authorization', credentials]] };
}

function carry(asked: SimulatedRequest, route: Route): Carried {
  if (asked.operation === undefined) return carryCredential(asked, route);
  const { request, body } = withMessage(asked, route);
  return { ...carryCredential(request, route), body };
}

function carryCredential(asked: SimulatedRequest, { access, bearerMethods, schemes }: Route): Carried {
  const [first] = bearerMethods;
  const scheme = asked.scheme === undefined ? schemes[0] : schemes.find(({ name }) => name === asked.scheme);
  if (asked.user !== undefined && scheme !== undefined && access !== 'public') {
    return { request: presenting(asked, scheme, assumedCredentials(scheme.name, asked.user)) };
  }
  if (asked.token === undefined || access === 'public' || first === undefined || bearerMethods.has('header')) {
    return { request: asked };
  }
  return places[first](asked, asked.token);
}
