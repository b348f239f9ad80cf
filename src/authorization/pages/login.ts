import { filled, filledText } from './fill.ts';
import { pageHeaders } from './headers.ts';
import { type Html, html } from './html.ts';
import { form, originWords, page, personWords, redirectWords, strong, waitWords } from './page.ts';
import { reveal, revealButton } from './reveal.ts';
import { allowScript } from './script.ts';
import type { LoginView, Site } from './views.ts';

/** The same words for a wrong password and an unknown name, so that the page does not reveal which accounts exist. */
export function loginPage(site: Site, view: LoginView): string {
  const { login } = site.texts;
  const message = failureWords(site, view);
  return page(site, {
    title: login.title,
    failed: message !== undefined,
    body: [
      html`<h1>${login.title}</h1>\n`,
      asker(site, view),
      view.notThisUser &&
        html`<p role="status">${filled(login.notThisUser, { person: personWords(view.notThisUser) })}</p>\n`,
      message !== undefined && html`<p class="alert" role="alert" id="failure">${message}</p>\n`,
      form(view.form, [
        username(site, view),
        password(site, view),
        html`<button class="button" type="submit">${login.submit}</button>`,
      ]),
      html`\n${reveal.element}`,
    ],
  });
}

/** Only the script of this page may run. */
export function loginHeaders(redirectUri?: string): Readonly<Record<string, string>> {
  return allowScript(pageHeaders(redirectUri), reveal);
}

function failureWords(site: Site, { failure }: LoginView): string | undefined {
  if (failure === undefined) return undefined;
  const { refused, throttled } = site.texts.login;
  return failure.kind === 'refused' ? refused : filledText(throttled, { wait: waitWords(failure.retryAfter, site) });
}

function asker({ texts: { login } }: Site, { application }: LoginView): Html | undefined {
  if (application === undefined) return undefined;
  const origin = originWords(application, login.origins);
  const asks = filled(login.asks, { application: strong(application.name) });
  return html`<p>${asks} ${origin && html`${origin} `}${redirectWords(application, login.returns)}</p>\n`;
}

function username({ texts: { login } }: Site, view: LoginView): Html {
  return html`<div class="field"><label for="username">${login.username}</label>
<input id="username" name="username" type="text" autocomplete="username" autocapitalize="none" autocorrect="off" spellcheck="false" required value="${view.username ?? ''}"${view.username === undefined && html` autofocus`}${marks(view)}></div>
`;
}

function password({ texts: { login } }: Site, view: LoginView): Html {
  return html`<div class="field secret"><label for="password">${login.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${view.username !== undefined && html` autofocus`}${marks(view)}>
${revealButton(login)}</div>
`;
}

/** Both fields refer to the message, which does not say which field is wrong. */
function marks({ failure }: LoginView): Html | undefined {
  if (failure === undefined) return undefined;
  const invalid = failure.kind === 'refused' && html` aria-invalid="true"`;
  return html`${invalid} aria-describedby="failure"`;
}
