import type { FastifyRequest } from 'fastify';
import { acceptedLanguages } from '../../base/languages.ts';
import { queryOf } from '../http/form.ts';
import { type Site, textsFor } from '../pages/pages.ts';

/** The site in the language of the reader. `uiLocales`: the request of an application, which comes before the browser's. */
export type SiteFor = (request: FastifyRequest, uiLocales?: string | undefined) => Site;

/** OpenID Connect Core §3.1.2.1: an unknown language is no error. */
export function siteIn(site: Omit<Site, 'texts'>): SiteFor {
  return ({ headers, raw }, uiLocales = localesIn(raw.url ?? '')) => {
    const wanted = (uiLocales ?? '').slice(0, LONGEST).split(' ');
    return { ...site, texts: textsFor([...wanted, ...acceptedLanguages(headers['accept-language'])]) };
  };
}

/** Characters. */
const LONGEST = 300;

/** Reads faulty requests too, because their error pages must not fail. */
function localesIn(url: string): string | undefined {
  return new URLSearchParams(queryOf(url)).get('ui_locales') ?? undefined;
}
