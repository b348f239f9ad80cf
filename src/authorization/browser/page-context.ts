import type { Endpoint } from '../http/endpoint.ts';
import { endpointPath } from '../http/endpoint.ts';
import { knownBrowserCookie } from '../people/known-browsers.ts';
import type { Service } from '../service/service.ts';
import { type BrowserCookie, browserCookie } from './cookies.ts';
import { buildPageSeal, type PageSeal } from './page-seal.ts';
import type { HostedSite } from './site.ts';
import { type SiteFor, siteIn } from './site-for.ts';
import { buildTransactions, type Transactions } from './transactions.ts';

/** The data that every page needs, in addition to the service. */
export interface PageContext {
  readonly service: Service;
  readonly siteFor: SiteFor;
  /** The session of the signed-in user. */
  readonly sessionCookie: BrowserCookie;
  /** Identifies the browser, for any user. */
  readonly browserCookie: BrowserCookie;
  /** The accounts that have logged in with this browser. */
  readonly knownCookie: BrowserCookie;
  readonly transactions: Transactions;
  readonly seal: PageSeal;
  readonly paths: Readonly<Record<PageName, string>>;
}

/** Paths below the path of the issuer. */
export const pagePaths = {
  authorize: '/oauth2/authorize',
  login: '/oauth2/login',
  consent: '/oauth2/consent',
  switchUser: '/oauth2/switch',
  account: '/oauth2/account',
  disconnect: '/oauth2/account/disconnect',
  endSession: '/oauth2/account/end-session',
  signOutEverywhere: '/oauth2/account/sign-out-everywhere',
  signOut: '/oauth2/sign-out',
  logout: '/oauth2/logout',
  confirmLogout: '/oauth2/logout/confirm',
} as const;

export type PageName = keyof typeof pagePaths;

/** One path of a page. Its errors are pages too. */
export type PageEndpoint = Pick<Endpoint, 'name' | 'method' | 'paths' | 'head' | 'handle'>;

export function buildPageContext(service: Service, { site }: HostedSite): PageContext {
  const { issuer } = service.config;
  const seal = buildPageSeal(service.secrets.transactions);
  const paths = Object.entries(pagePaths).map(([name, path]) => [name, endpointPath(issuer, path)]);
  return {
    service,
    siteFor: siteIn(site),
    sessionCookie: browserCookie(issuer, 'sid'),
    browserCookie: browserCookie(issuer, 'browser'),
    knownCookie: browserCookie(issuer, 'known', knownBrowserCookie),
    transactions: buildTransactions(seal),
    seal,
    paths: Object.fromEntries(paths),
  };
}
