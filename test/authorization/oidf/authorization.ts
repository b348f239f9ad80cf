import { randomBytes } from 'node:crypto';
import { need } from './judge.ts';
import { endpointOf, type Party } from './party.ts';
import { paths, type SiteCall } from './provider/client-site.ts';
import { shown } from './provider/exchange.ts';
import type { Visit } from './provider/user-agent.ts';

export type Parameters = Readonly<Record<string, string>>;
export type Wanted = Readonly<Record<string, string | undefined>>;

/** An authorization request, and everything up to its answer. */
export interface Authorization {
  readonly sent: Parameters;
  readonly visit: Visit;
  /** The request to the callback. Undefined: the browser stopped at a page of the provider. */
  readonly callback: SiteCall | undefined;
}

export const randomText = (bytes = 12): string => randomBytes(bytes).toString('base64url');

export function callbackOf({ provider }: Party): string {
  return provider.site.url + paths.callback;
}

/** The parameters of every request, with changes. Undefined leaves a parameter out. */
export function parametersOf(party: Party, wanted: Wanted = {}): Parameters {
  const all = {
    response_type: 'code',
    client_id: party.client.id,
    redirect_uri: callbackOf(party),
    scope: 'openid',
    state: randomText(),
    nonce: randomText(),
    response_mode: party.mode === 'query' ? undefined : party.mode,
    ...wanted,
  };
  const pairs = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return Object.fromEntries(pairs);
}

/** Sends the browser to the provider, and follows it to the callback. */
export async function authorize(
  party: Party,
  sent: Parameters,
  method: 'GET' | 'POST' = 'GET',
): Promise<Authorization> {
  const url = endpointOf(party, 'authorization_endpoint');
  const { calls } = party.provider.site;
  const before = calls.length;
  if (method === 'GET') url.search = new URLSearchParams(sent).toString();
  const visit = await party.browser.visit(method === 'GET' ? { url } : { url, form: Object.entries(sent) });
  const callback = calls.slice(before).find((call) => call.url.pathname === paths.callback);
  return { sent, visit, callback };
}

/** The parameters with which the client is answered, where the response mode puts them. */
export function answerOf({ judge, mode }: Party, { callback, visit }: Authorization, way = mode): Parameters {
  need(judge, callback !== undefined, 'the provider answers the client', `${visit.url} ${shown(visit.last)}`);
  const isPosted = callback.method === 'POST';
  judge.must(isPosted === (way === 'form_post'), `the answer comes by ${way}`, `${callback.method} ${callback.url}`);
  const form = new URLSearchParams(isPosted ? callback.body : callback.url.search);
  if (isPosted) judge.must(callback.url.search === '', 'a posted answer has no query', callback.url.search);
  const names = [...form.keys()];
  judge.must(new Set(names).size === names.length, 'no parameter of an answer occurs twice', names);
  return Object.fromEntries(form);
}
