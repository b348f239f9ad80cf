import { type Html, html } from './html.ts';
import { isolated, page, waitWords } from './page.ts';
import type { ErrorView, Site } from './views.ts';

/** A page without forms. Its only link leads to our account page, so a forged request cannot send a user elsewhere. */
export function errorPage(site: Site, view: ErrorView): string {
  const { title, what, remedy } = site.texts.error.kinds[view.kind];
  const wait = view.retryAfter !== undefined && html`${waitWords(view.retryAfter, site)} `;
  return page(site, {
    title,
    body: html`<h1>${title}</h1>
<p>${what}</p>
<p>${wait}${remedy}</p>
${view.account !== undefined && html`<p><a href="${view.account}">${site.texts.account.title}</a></p>\n`}${facts(site, view)}`,
  });
}

/** The detail is for developers. It is in English on every page. */
function facts({ texts: { error } }: Site, { code, id, detail }: ErrorView): Html {
  return html`<dl class="facts"><dt>${error.code}</dt><dd><code>${code}</code></dd>
<dt>${error.id}</dt><dd><code>${id}</code></dd>
${detail !== undefined && html`<dt>${error.detail}</dt><dd lang="en">${isolated(detail)}</dd>\n`}</dl>`;
}
