import { filled } from '../authorization/pages/fill.ts';
import { type Html, html } from '../authorization/pages/html.ts';
import { user } from './files.ts';
import type { DemoTexts } from './texts/texts.ts';

type Texts = DemoTexts['document'];

/** The document of the client page, in one language. The script fills what is hidden. */
export function clientDocument({ lang, document: texts }: DemoTexts): string {
  const { site, title, intro } = texts;
  return html`<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – ${site}</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/look.css">
<link rel="stylesheet" href="/style.css">
<script type="module" src="/client.js"></script>
</head>
<body>
<main class="wide">
<div class="site">${site}</div>
<h1>${title}</h1>
<p>${intro}</p>
${signIn(texts)}
${way(texts)}
${calls(texts)}
<section id="answered" aria-label="${texts.answer}" hidden>
<p role="status"><strong id="status"></strong> <span id="meaning"></span></p>
<pre id="answer"></pre>
</section>
</main>
</body>
</html>
`.toString();
}

function signIn({ gone, begin, signIn, signedIn, facts, signOut }: Texts): Html {
  const [sub, scope] = [html`<code id="sub"></code>`, html`<code id="scope"></code>`];
  const name = html`<strong>${user.name}</strong>`;
  const password = html`<strong>${user.password}</strong>`;
  return html`<p class="alert" id="refused" role="alert" hidden></p>
<p id="gone" role="status" hidden>${gone}</p>
<div id="start">
<p>${filled(begin, { user: name, password })}</p>
<button class="button" type="button" id="sign-in" disabled>${signIn}</button>
</div>
<div class="person" id="granted" hidden>
<p><span class="quiet">${signedIn}</span><strong id="name"></strong> <span class="quiet">${filled(facts, { sub, scope })}</span></p>
<button class="plain" type="button" id="sign-out">${signOut}</button>
</div>`;
}

function way({ way, steps }: Texts): Html {
  const items = Object.entries(steps).map(
    ([id, { name, text }]) => html`<li id="${id}"><h3>${name}</h3><p>${text}</p></li>\n`,
  );
  return html`<section aria-labelledby="way">
<h2 id="way">${way}</h2>
<ol class="steps">
${items}</ol>
</section>`;
}

interface Call {
  readonly status: number;
  readonly method: string;
  readonly path: string;
  /** The scope that the API needs. Undefined: the page sends no token. */
  readonly scope?: string;
}

/** A button for each kind of answer. */
const buttons: Readonly<Record<keyof Texts['calls'], Call>> = {
  read: { status: 200, method: 'GET', path: '/orders/7', scope: 'orders.read' },
  anonymous: { status: 401, method: 'GET', path: '/orders/7' },
  admin: { status: 403, method: 'DELETE', path: '/orders', scope: 'orders.admin' },
  write: { status: 204, method: 'DELETE', path: '/orders/8', scope: 'orders.write' },
};

function calls({ api, calls }: Texts): Html {
  const items = Object.entries(buttons).map(([name, call]) => item(call, calls[name as keyof Texts['calls']]));
  return html`<section id="calls" aria-labelledby="answers" hidden>
<h2 id="answers">${api}</h2>
<ul class="calls">
${items}</ul>
</section>`;
}

function item({ status, method, path, scope }: Call, text: string): Html {
  const anonymous = scope === undefined && html` data-anonymous`;
  const needed = html`<code>${scope}</code>`;
  return html`<li><button class="plain" type="button" data-method="${method}" data-path="${path}"${anonymous}>${status}: ${method} ${path}</button>
<span>${filled(text, { scope: needed })}</span></li>\n`;
}
