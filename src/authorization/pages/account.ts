import { counted, filled, filledText } from './fill.ts';
import { type Html, type HtmlPart, html } from './html.ts';
import { effectWords, form, hidden, isolated, moment, originWords, page, personWords, redirectWords } from './page.ts';
import { readUserAgent } from './user-agent.ts';
import type { AccountView, ConnectedAppView, SessionView, Site } from './views.ts';

export function accountPage(site: Site, view: AccountView): string {
  const { account } = site.texts;
  return page(site, {
    title: account.title,
    wide: true,
    body: [
      html`<h1>${account.title}</h1>\n`,
      view.done && html`<p role="status">${account.done[view.done.what]}${effectWords(view.done, site)}</p>\n`,
      person(site, view),
      section('apps', account.apps, apps(site, view)),
      section('sessions', account.sessions, sessions(site, view)),
      section('everywhere', account.everywhere, everywhere(site, view)),
    ],
  });
}

function person({ texts: { account } }: Site, view: AccountView): Html {
  return html`<div class="person"><p><span class="quiet">${account.signedInAs}</span>${personWords(view.person)}</p>
${form(view.signOutForm, html`<button class="plain" type="submit">${account.signOut}</button>`)}</div>
`;
}

function section(id: string, heading: string, body: HtmlPart): Html {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${heading}</h2>
${body}
</section>
`;
}

/** The role is for browsers that do not report a list with `list-style: none` as a list. */
function list(entries: readonly Html[]): Html {
  return html`<ul role="list">${entries}</ul>`;
}

function apps(site: Site, view: AccountView): Html {
  if (view.apps.length === 0) return html`<p>${site.texts.account.noApps}</p>`;
  return list(view.apps.map((app) => appEntry(site, view, app)));
}

function appEntry(site: Site, { disconnectForm }: AccountView, app: ConnectedAppView): Html {
  const { account } = site.texts;
  const name = isolated(app.application.name);
  const button = html`<button class="plain" type="submit">${account.disconnect}${spoken(name)}</button>`;
  return entry(
    html`<h3>${name}</h3>
<p class="quiet">${redirectWords(app.application, account.returns)}</p>
${origin(app, account.origins)}
${scopes(app, account.noScopes)}
${facts([
  [account.since, moment(app.since, site)],
  [account.lastUsed, app.lastUsed === undefined ? account.never : moment(app.lastUsed, site)],
])}`,
    form(disconnectForm, [hidden('client_id', app.clientId), button]),
  );
}

function origin({ application }: ConnectedAppView, words: Parameters<typeof originWords>[1]): Html | undefined {
  const said = originWords(application, words);
  return said === undefined ? undefined : html`<p class="quiet">${said}</p>`;
}

function scopes({ scopes }: ConnectedAppView, none: string): Html {
  if (scopes.length === 0) return html`<p>${none}</p>`;
  return html`<ul role="list">${scopes.map((words) => html`<li>${isolated(words)}</li>`)}</ul>`;
}

function sessions(site: Site, view: AccountView): HtmlPart {
  return [list(view.sessions.map((session) => sessionEntry(site, view, session))), guesses(site, view)];
}

function guesses(site: Site, { guesses: told }: AccountView): Html | undefined {
  if (told === undefined) return undefined;
  const { guesses: words, closedUntil } = site.texts.account;
  const closed =
    told.closedUntil !== undefined && html` ${filled(closedUntil, { when: moment(told.closedUntil, site) })}`;
  return html`\n<p>${counted(words, told.count, site.texts)}${closed}</p>`;
}

function sessionEntry(site: Site, { endSessionForm }: AccountView, session: SessionView): Html {
  const { account } = site.texts;
  const device = isolated(deviceWords(site, session));
  const tag = session.current && html` <span class="tag">${account.thisSession}</span>`;
  const button = html`<button class="plain" type="submit">${account.endSession}${spoken(sessionName(site, session))}</button>`;
  return entry(
    html`<h3>${device}${tag}</h3>
${facts([
  [account.address, place(site, session)],
  [account.signedIn, moment(session.since, site)],
  [account.lastSeen, session.lastSeen !== undefined && moment(session.lastSeen, site)],
])}`,
    !session.current && form(endSessionForm, [hidden('session', session.id), button]),
  );
}

/** The address, and whether it is in the same network as this browser. */
function place({ texts: { account } }: Site, { address, isSameNetwork, current }: SessionView): Html {
  const here = isSameNetwork && !current && html` (${account.sameNetwork})`;
  return html`${isolated(address)}${here}`;
}

/** Differs even for two sessions of one kind of browser. */
function sessionName(site: Site, session: SessionView): Html {
  return html`${isolated(deviceWords(site, session))}, ${moment(session.since, site, 'medium')}`;
}

function everywhere({ texts: { account } }: Site, { signOutEverywhereForm }: AccountView): Html {
  return html`<p>${account.everywhereMeans}</p>
${form(signOutEverywhereForm, html`<button class="plain" type="submit">${account.signOutEverywhere}</button>`)}`;
}

function deviceWords({ texts: { account } }: Site, { userAgent }: SessionView): string {
  if (userAgent === undefined || userAgent.trim() === '') return account.unknownDevice;
  const device = readUserAgent(userAgent);
  return typeof device === 'string' ? device : filledText(account.device, { ...device });
}

/** Only screen readers read this text. Without it, all buttons of a list have the same name. */
function spoken(words: Html): Html {
  return html`<span class="hidden"> ${words}</span>`;
}

function entry(about: Html, action: HtmlPart): Html {
  return html`<li class="entry"><div>${about}</div>${action}</li>\n`;
}

function facts(rows: readonly (readonly [name: string, value: HtmlPart])[]): Html {
  const told = rows.filter(([, value]) => value !== false);
  return html`<dl>${told.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`)}</dl>`;
}
