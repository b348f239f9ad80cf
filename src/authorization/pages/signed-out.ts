import { html } from './html.ts';
import { effectWords, page } from './page.ts';
import type { SignedOutView, Site } from './views.ts';

export function signedOutPage(site: Site, { signIn, everywhere }: SignedOutView): string {
  const { title, what, everywhere: nowhere, signIn: again } = site.texts.signedOut;
  return page(site, {
    title,
    body: html`<h1>${title}</h1>
<p>${everywhere === undefined ? what : html`${nowhere}${effectWords(everywhere, site)}`}</p>
${signIn !== undefined && html`<p><a href="${signIn}">${again}</a></p>`}`,
  });
}
