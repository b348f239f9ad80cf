import { createHash } from 'node:crypto';
import { pageHeaders } from './headers.ts';
import { html } from './html.ts';
import { hidden, page } from './page.ts';
import type { FormPostView, Site } from './views.ts';

/** Sends the form at once. Without scripts, the user presses the button. */
const SCRIPT = 'document.forms[0].submit()';
const script = html`<script>document.forms[0].submit()</script>`;
const hash = createHash('sha256').update(SCRIPT).digest('base64');

/** A page that posts an answer to a client (OAuth 2.0 Form Post Response Mode §2). */
export function formPostPage(site: Site, { action, values }: FormPostView): string {
  const { title, go } = site.texts.formPost;
  return page(site, {
    title,
    body: html`<h1>${title}</h1>
<form method="post" action="${action}">
${values.map(([name, value]) => hidden(name, value))}<button class="button" type="submit">${go}</button>
</form>
${script}`,
  });
}

/** Only this script may run. */
export function formPostHeaders(action: string): Readonly<Record<string, string>> {
  const headers = pageHeaders(action);
  return {
    ...headers,
    'content-security-policy': `${headers['content-security-policy']}; script-src 'sha256-${hash}'`,
  };
}
