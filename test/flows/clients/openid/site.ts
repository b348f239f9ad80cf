import type { Test } from 'tap';
import type { IdTokenAlgorithm } from '../../../../src/config/schema/authorization.ts';
import { type FrontService, openTab, type Page, type Tab } from '../../../authorization/browser/walk.ts';
import { type ProviderOptions, rp, runProvider, walk } from '../../../authorization/openid/provider.ts';
import { callback } from '../../../authorization/running-service.ts';
import { native } from '../site.ts';

export const openidScope = 'openid profile email';

/** What a relying party knows of itself. */
export interface Registration {
  readonly id: string;
  readonly secret?: string;
  readonly callback: string;
  /** The service sends the browser here after a logout. */
  readonly signedOut: string;
  /** By default, RS256 and public subjects. */
  readonly alg?: IdTokenAlgorithm;
  readonly subjectType?: 'pairwise';
}

export const withSecret: Registration = { ...rp, callback, signedOut: 'https://shop.example.com/signed-out' };

export const withoutSecret: Registration = {
  ...native,
  signedOut: 'http://127.0.0.1:4711/signed-out',
  alg: 'EdDSA',
  subjectType: 'pairwise',
};

export interface OpenidSite extends FrontService {
  /** In the one browser of alice: logs in and allows everything where the service asks. The address of the client at the end. */
  visit(url: string | URL): Promise<URL>;
}

/** The OpenID Provider with this client, and alice at one browser. */
export async function openidSite(t: Test, client: Registration, options: ProviderOptions = {}): Promise<OpenidSite> {
  const service = await runProvider(t, { ...options, clients: [registered(client)] });
  const tab = openTab(service);
  return { ...service, visit: (url) => arrival(tab, String(url)) };
}

export function registered({ id, secret, callback, signedOut, alg, subjectType }: Registration) {
  return {
    client_id: id,
    ...(secret !== undefined && { client_secret: secret }),
    scope: openidScope,
    grant_types: ['authorization_code' as const, 'refresh_token' as const],
    redirect_uris: [callback],
    post_logout_redirect_uris: [signedOut],
    ...(alg !== undefined && { id_token_signed_response_alg: alg }),
    ...(subjectType !== undefined && { subject_type: subjectType }),
  };
}

async function arrival(tab: Tab, url: string): Promise<URL> {
  const { status, location, body }: Page = await walk(tab, url);
  if (location === undefined) throw new Error(`the browser stays on a page of ${status}: ${body}`);
  return location;
}
