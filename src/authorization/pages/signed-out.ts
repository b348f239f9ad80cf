import { html } from './html.ts';
import { page } from './page.ts';
import type { SignedOutView, Site } from './views.ts';

export function signedOutPage(site: Site, { signIn }: SignedOutView): string {
  const { title, what, signIn: again } = site.texts.signedOut;
  return page(site, {
    title,
    body: html`<h1>${title}</h1>
<p>${what}</p>
${signIn !== undefined && html`<p><a href="${signIn}">${again}</a></p>`}`,
  });
}
