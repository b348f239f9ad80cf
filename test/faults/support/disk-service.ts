import { setTimeout as pause } from 'node:timers/promises';
import { basic } from '../../authorization/running-service.ts';
import type { Program } from './program.ts';

/** Clients that request tokens at the same time. */
export const CALLERS = 8;

export const shop = { id: 'shop', secret: 'cs_shop-secret-of-32-bytes-or-so' };
export const judge = { id: 'gateway', secret: 'cs_gateway-secret-of-32-bytes' };

export const serviceFile = (more: string) => `issuer: http://localhost:8081
log: { level: info, format: json }
resources: [https://api.example.com]
scopes: { orders.read: Read your orders }
tokens: { max_a_minute: 1000000 }
login: { max_failures: 100000, window: 1m }
clients:
  - { client_id: shop, client_secret: ${shop.secret}, scope: orders.read, grant_types: [client_credentials] }
  - { client_id: gateway, client_secret: ${judge.secret}, grant_types: [], introspect: true }
${more}
`;

export function post(
  { url }: Program,
  path: string,
  form: Record<string, string>,
  client: typeof shop,
): Promise<Response> {
  return fetch(url + path, { method: 'POST', headers: basic(client), body: new URLSearchParams(form) });
}

export const grant = (served: Program, client = shop) =>
  post(served, '/oauth2/token', { grant_type: 'client_credentials' }, client);

export interface Told {
  readonly tokens: string[];
  readonly statuses: Record<string, number>;
  /** Answers that are neither a token nor an outage with Retry-After. */
  readonly wrong: string[];
  stop(): Promise<void>;
}

/** Several clients that request tokens one after the other. */
export function asking(served: Program): Told {
  let going = true;
  const told = { tokens: [] as string[], statuses: {} as Record<string, number>, wrong: [] as string[] };
  const work = async () => {
    while (going) {
      const response = await grant(served);
      const body = (await response.json()) as { access_token?: string; error?: string };
      told.statuses[response.status] = (told.statuses[response.status] ?? 0) + 1;
      const isOutage = response.status === 503 && body.error === 'temporarily_unavailable';
      if (response.status === 200 && body.access_token !== undefined) told.tokens.push(body.access_token);
      else if (!isOutage || !/^[1-9]/.test(response.headers.get('retry-after') ?? ''))
        told.wrong.push(`${response.status} ${JSON.stringify(body)}`);
      if (response.status !== 200) await pause(10);
    }
  };
  const over = Promise.all(Array.from({ length: CALLERS }, work));
  return {
    ...told,
    async stop() {
      going = false;
      await over;
    },
  };
}

/** Lines of JSON; other lines are separate. */
export function linesOf(text: string): { readonly whole: Record<string, unknown>[]; readonly cut: string[] } {
  const whole: Record<string, unknown>[] = [];
  const cut: string[] = [];
  for (const line of text.split('\n').filter((line) => line !== '')) {
    try {
      whole.push(JSON.parse(line));
    } catch {
      cut.push(line);
    }
  }
  return { whole, cut };
}

/** The audit events with this name in the file or the log, each by its request's id. */
export function requestsOf(event: string, ...texts: readonly string[]): ReadonlySet<unknown> {
  const all = texts.flatMap((text) => linesOf(text).whole);
  return new Set(all.filter((line) => line.event === event).map(({ request_id }) => request_id));
}

/** How many of these tokens are missing. */
export async function lostOf(served: Program, tokens: readonly string[]): Promise<number> {
  let lost = 0;
  for (const token of tokens) {
    const answer = await post(served, '/oauth2/introspect', { token }, judge);
    if (((await answer.json()) as { active?: boolean }).active !== true) lost++;
  }
  return lost;
}
