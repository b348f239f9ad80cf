import { html } from './html.ts';
import { effectWords, page } from './page.ts';
import type { SignedOutView, Site } from './views.ts';

export function signedOutPage(site: Site, { signIn, everywhere, clients }: SignedOutView): string {
  const { title, what, withClients, everywhere: nowhere, signIn: again } = site.texts.signedOut;
  const here = clients === true ? withClients : what;
  return page(site, {
    title,
    body: html`<h1>${title}</h1>
<p>${everywhere === undefined ? here : html`${nowhere}${effectWords(everywhere, site)}`}</p>
${signIn !== undefined && html`<p><a href="${signIn}">${again}</a></p>`}`,
  });
}
