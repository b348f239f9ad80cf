import { pageHeaders } from './headers.ts';
import { html } from './html.ts';
import { hidden, page } from './page.ts';
import { allowScript, ownScript } from './script.ts';
import type { FormPostView, Site } from './views.ts';

/** Sends the form at once. Without scripts, the user presses the button. */
const submit = ownScript(html`<script>document.forms[0].submit()</script>`);

/** A page that posts an answer to a client (OAuth 2.0 Form Post Response Mode §2). */
export function formPostPage(site: Site, { action, values }: FormPostView): string {
  const { title, go } = site.texts.formPost;
  return page(site, {
    title,
    body: html`<h1>${title}</h1>
<form method="post" action="${action}">
${values.map(([name, value]) => hidden(name, value))}<button class="button" type="submit">${go}</button>
</form>
${submit.element}`,
  });
}

/** Only this script may run. */
export function formPostHeaders(action: string): Readonly<Record<string, string>> {
  return allowScript(pageHeaders(action), submit);
}
