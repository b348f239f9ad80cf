import type { Test } from 'tap';
import {
  clientsWith,
  decide,
  type FrontService,
  logIn,
  openTab,
  type Page,
  runFront,
} from '../../authorization/browser/walk.ts';

export const scope = 'orders.read orders.write';

/** The client that every library uses. Its secret has all characters that form encoding (RFC 6749 §2.3.1) changes. */
export const library = {
  id: 'library',
  secret: 'cs_50% of+it:is/encoded=&so?on~*',
  callback: 'https://library.example.com/callback',
} as const;

/** A client whose access tokens are JWTs (RFC 9068). */
export const signed = { id: 'signed', secret: library.secret } as const;

/** A client without a secret, on a user's own machine. */
export const native = { id: 'native', callback: 'http://127.0.0.1:4711/callback' } as const;

export interface Site extends FrontService {
  /**
   * As alice, in a separate browser: signs in, decides on the consent page, and returns the address that redirects to
   * the client.
   */
  walk(authorizationUrl: string | URL, decision?: 'allow' | 'deny'): Promise<URL>;
}

/** The authorization service with the clients for the libraries. */
export async function site(t: Test): Promise<Site> {
  const clients = clientsWith(
    {
      client_id: library.id,
      client_name: 'A library',
      client_secret: library.secret,
      scope,
      grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
      redirect_uris: [library.callback],
      introspect: true,
    },
    {
      client_id: signed.id,
      client_secret: signed.secret,
      scope,
      grant_types: ['client_credentials'],
      access_token_format: 'jwt',
    },
    {
      client_id: native.id,
      scope,
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: ['http://127.0.0.1/callback'],
    },
  );
  const service = await runFront(t, { config: { clients } });
  return { ...service, walk: (url, decision) => walkAsAlice(service, url, decision) };
}

/** As {@link Site.walk}, at any authorization service. Alice ticks every box of the consent page. */
export async function walkAsAlice(
  service: Pick<FrontService, 'url'>,
  url: string | URL,
  decision: 'allow' | 'deny' = 'allow',
): Promise<URL> {
  const tab = openTab(service);
  const signedIn = await logIn(tab, await tab.get(String(url)));
  const next = await tab.get(leadsTo(signedIn).href);
  const isAsked = next.location === undefined;
  return leadsTo(isAsked ? await decide(tab, next, boxesOf(next), decision) : next);
}

function boxesOf({ body }: Page): readonly string[] {
  return [...body.matchAll(/name="scope" value="([^"]+)"/g)].map(([, scope = '']) => scope);
}

function leadsTo({ status, location, body }: Page): URL {
  if (location === undefined) throw new Error(`the browser stays on a page of ${status}: ${body}`);
  return location;
}
