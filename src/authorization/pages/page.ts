import { filled, filledText } from './fill.ts';
import { type Html, type HtmlPart, html } from './html.ts';
import { type Redirect, readRedirect } from './redirect.ts';
import type { AccountForm, Application, InteractionForm, Person, Site, TookEffect } from './views.ts';

interface Content {
  readonly title: HtmlPart;
  readonly failed?: boolean;
  readonly wide?: boolean;
  readonly body: HtmlPart;
}

/** A complete HTML document around the content of the page. */
export function page({ name, stylesheet, icon, logo, texts }: Site, { title, failed, wide, body }: Content): string {
  const brand = logo === undefined ? isolated(name) : html`<img src="${logo}" alt="${unturned(name)}">`;
  return html`<!doctype html>
<html lang="${texts.lang}" dir="${texts.dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${failed && texts.failed}${title} – ${unturned(name)}</title>
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="${stylesheet}">
</head>
<body>
<main${wide && html` class="wide"`}>
<div class="site">${brand}</div>
${body}
</main>
</body>
</html>
`.toString();
}

/** Foreign text. Its direction must not change the direction of our text (UAX #9, HTML §4.5.24). */
export function isolated(words: string): Html {
  return html`<bdi>${unturned(words)}</bdi>`;
}

/** Removes embeddings, overrides and isolates. They could write a name backwards, or end its isolation. */
export function unturned(words: string): string {
  return words.replace(/[\u202a-\u202e\u2066-\u2069]/g, '');
}

export function strong(words: string): Html {
  return html`<strong>${isolated(words)}</strong>`;
}

/** Says where an application gets its answer, in words for its kind. */
export function redirectWords({ redirectUri }: Application, words: Readonly<Record<Redirect['kind'], string>>): Html {
  const { kind, where } = readRedirect(redirectUri);
  return filled(words[kind], { where: strong(where) });
}

/** Says where the name of an application comes from. Undefined if an operator has checked it. */
export function originWords(
  { origin }: Application,
  words: { readonly document: string; readonly itself: string },
): Html | string | undefined {
  return origin?.kind === 'document' ? filled(words.document, { host: strong(origin.host) }) : origin && words.itself;
}

export function personWords({ username, name }: Person): Html {
  if (name === undefined || name === username) return strong(username);
  return html`${strong(name)} <span class="quiet">${isolated(username)}</span>`;
}

/** A form with the fields that prove its origin. */
export function form(to: InteractionForm | AccountForm, body: HtmlPart): Html {
  const transaction = 'transaction' in to ? to.transaction : undefined;
  return html`<form method="post" action="${to.action}">
${transaction !== undefined && hidden('transaction', transaction)}${to.csrf !== undefined && hidden('csrf', to.csrf)}${body}
</form>`;
}

export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`;
}

/** A date and time in the reader's language, in UTC, because the reader's time zone is unknown. `medium`: with seconds. */
export function moment(milliseconds: number, { texts }: Site, timeStyle: 'short' | 'medium' = 'short'): Html {
  const format = { dateStyle: 'medium', timeStyle, timeZone: 'UTC' } as const;
  const date = new Date(milliseconds);
  const words = new Intl.DateTimeFormat(texts.lang, format).format(date);
  return html`<time datetime="${date.toISOString()}">${words} UTC</time>`;
}

/** The wait, rounded up: seconds up to a minute, then minutes, then hours. */
export function waitWords(retryAfter: number, { texts }: Site): string {
  const [unit, size] = units.find(([, , limit]) => retryAfter <= limit) ?? units[2];
  const amount = Math.max(1, Math.ceil(retryAfter / size));
  const format = new Intl.NumberFormat(texts.lang, { style: 'unit', unit, unitDisplay: 'long' });
  return filledText(texts.wait, { time: format.format(amount) });
}

const units = [
  ['second', 1, 59],
  ['minute', 60, 5400],
  ['hour', 3600, Number.POSITIVE_INFINITY],
] as const;

/** Confirms an action that just happened. */
export function effectWords({ at }: TookEffect, site: Site): Html | false {
  return at !== undefined && html` ${filled(site.texts.inEffect, { when: moment(at, site, 'medium') })}`;
}
