import type { Outcome } from '../../../src/gateway/decide/outcome.ts';
import type { Identity } from '../../../src/gateway/message/identity.ts';
import { alice, bearer, type Decider, decider, type Request } from './decider.ts';

const scopes = new Set(['mcp.use', 'tools.run', 'a', 'b']);

/** The text of a token, and what differs from Alice in its identity. */
type Callers = Readonly<Record<string, Partial<Identity>>>;

/** The engine of one route with `mcp`. The token `t` is Alice's. */
export function gateway(mcp: object, more: object = {}, callers: Callers = {}): Decider {
  const routes = [{ id: 'tools', match: { path: '/mcp' }, access: 'authenticated', mcp, ...more }];
  return decider(
    { routes },
    { verify: (token) => ({ kind: 'verified', identity: { ...alice, scopes, ...callers[token] }, cache: 'hit' }) },
  );
}

/** The code of a refusal, or `forward`. */
export async function told(decided: Outcome | Promise<Outcome>): Promise<string> {
  const outcome = await decided;
  return outcome.kind === 'refuse' || outcome.kind === 'unavailable' ? outcome.code : outcome.kind;
}

export const as = (token: string) => ['Authorization', `Bearer ${token}`];

/** A POST with one message. `body`: a text, or members beside `jsonrpc` and `id`. */
export function message(
  body: object | string,
  headers: readonly string[] = [],
  line = 'POST /mcp',
  caller: readonly string[] = bearer,
): Request {
  const text = typeof body === 'string' ? body : JSON.stringify({ jsonrpc: '2.0', id: 1, ...body });
  const type = headers.some((name) => /^content.type$/i.test(name)) ? [] : ['Content-Type', 'application/json'];
  return { line, headers: [...caller, ...type, 'Content-Length', String(text.length), ...headers], body: text };
}

export const ping = { method: 'ping' };
export const call = (args: object) => ({ method: 'tools/call', params: { name: 'echo', arguments: args } });
