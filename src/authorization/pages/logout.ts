import { filled } from './fill.ts';
import { html } from './html.ts';
import { form, page, personWords, strong } from './page.ts';
import type { LogoutView, Site } from './views.ts';

/** Asks a user whom no ID token identifies (OpenID Connect RP-Initiated Logout §2). */
export function logoutPage(site: Site, view: LogoutView): string {
  const { logout, account } = site.texts;
  return page(site, {
    title: logout.title,
    body: [
      html`<h1>${logout.title}</h1>\n`,
      view.application !== undefined &&
        html`<p>${filled(logout.asks, { application: strong(view.application) })}</p>\n`,
      html`<p><span class="quiet">${account.signedInAs}</span> ${personWords(view.person)}</p>\n<p>${logout.means}</p>\n`,
      form(view.form, html`<button class="button" type="submit">${logout.submit}</button>`),
      html`<p><a href="${view.account}">${logout.stay}</a></p>`,
    ],
  });
}
