import { filled } from './fill.ts';
import { type Html, html } from './html.ts';
import { form, isolated, originWords, page, personWords, redirectWords, unturned } from './page.ts';
import type { ConsentView, ScopeChoice, Site } from './views.ts';

export function consentPage(site: Site, view: ConsentView): string {
  const { consent } = site.texts;
  return page(site, {
    title: filled(consent.title, { application: unturned(view.application.name) }),
    failed: view.failure !== undefined,
    body: [
      html`<h1>${filled(consent.heading, { application: isolated(view.application.name) })}</h1>\n`,
      origin(site, view),
      person(site, view),
      view.failure && html`<p class="alert" role="alert" id="failure">${consent.nothingTicked}</p>\n`,
      form(view.form, [
        scopes(site, view),
        html`<p>${redirectWords(view.application, consent.returns)}</p>\n`,
        choice(site),
      ]),
      afterwards(site, view),
    ],
  });
}

function origin({ texts: { consent } }: Site, { application }: ConsentView): Html | undefined {
  const words = originWords(application, consent.origins);
  if (words === undefined) return undefined;
  const warning = application.isLocalOnly && html`<p class="alert">${consent.anyProgram}</p>\n`;
  return html`<p>${words}</p>\n${warning}`;
}

function person({ texts: { consent } }: Site, view: ConsentView): Html {
  return html`<div class="person"><p><span class="quiet">${consent.signedInAs}</span>${personWords(view.person)}</p>
${form(view.switchForm, html`<button class="link" type="submit">${consent.notYou}</button>`)}</div>
`;
}

function scopes({ texts: { consent } }: Site, { application, scopes, failure }: ConsentView): Html {
  if (scopes.length === 0) return html`<p>${consent.noScopes}</p>\n`;
  return html`<fieldset${failure && html` aria-describedby="failure"`}><legend>${filled(consent.scopes, { application: isolated(application.name) })}</legend>
${scopes.map((scope) => scopeRow(scope, consent.before))}</fieldset>
`;
}

function scopeRow({ token, words, grantedBefore, ticked }: ScopeChoice, before: string): Html {
  const box = html`<input type="checkbox" name="scope" value="${token}"${ticked !== false && html` checked`}>`;
  const tag = grantedBefore && html` <span class="tag">${before}</span>`;
  return html`<label class="scope">${box}<span>${isolated(words ?? token)}${tag}</span></label>\n`;
}

/**
 * Two buttons of one size, and only Allow is filled. Deny is the first in the form, so Enter in a checkbox presses Deny (HTML
 * §4.10.22.2). A stray key never allows access.
 */
function choice({ texts: { consent } }: Site): Html {
  return html`<div class="choice">
<button class="plain" type="submit" name="decision" value="deny">${consent.deny}</button>
<button class="button" type="submit" name="decision" value="allow">${consent.allow}</button>
</div>`;
}

function afterwards({ texts: { consent } }: Site, { account }: ConsentView): Html | undefined {
  if (account === undefined) return undefined;
  return html`<p class="quiet">${consent.takeBack} <a href="${account}">${consent.account}</a></p>`;
}
