import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { textsForHeader } from '../../../base/languages.ts';
import { loginLanguages } from './texts/languages.ts';
import type { LoginTexts } from './texts/texts.ts';

/** Why a login did not succeed. */
export type LoginFault = keyof LoginTexts['faults'];

const statuses: Readonly<Record<LoginFault, number>> = {
  state: 400,
  issuer: 400,
  denied: 403,
  scope: 403,
  user: 403,
  token: 502,
  server: 502,
  outage: 503,
};

const STYLE =
  ':root{color-scheme:light dark;color:light-dark(#101828,#f2f4f7);background:light-dark(#fff,#101828)}body{max-width:40rem;margin:4rem auto;padding:0 1rem;font:1.125rem/1.5 system-ui,sans-serif;overflow-wrap:break-word}a{color:light-dark(#175cd3,#84adff)}';

/**
 * Servers do not get the part of an address behind `#`, and a login leaves the document. So this tab keeps the address, and the
 * console restores it after the login (console-page/state.js). If a browser keeps nothing, the login begins anyway.
 */
const KEEP = `try {
  if (location.hash !== '') sessionStorage.setItem('state before the login', location.pathname + location.hash);
} finally {
  location.replace(document.querySelector('link[rel=next]').href);
}`;

const sha256 = (text: string) => `'sha256-${hash('sha256', text, 'base64')}'`;

const policy = `default-src 'none'; style-src ${sha256(STYLE)}; img-src data:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`;

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

export function sendFault(reply: FastifyReply, fault: LoginFault): FastifyReply {
  const { faults, again } = textsFor(reply);
  return send(reply.code(statuses[fault]), { ...faults[fault], link: ['/console/login', again] });
}

/**
 * The end of a login. A redirect would continue the chain that another site began, so browsers would call the console's request
 * a cross-site one. This page begins a new chain.
 */
export function sendArrival(reply: FastifyReply, path: string): FastifyReply {
  const { arrived } = textsFor(reply);
  const head = `<meta http-equiv="refresh" content="0;url=${escaped(path)}">`;
  return send(reply, { ...arrived, link: [path, arrived.link] }, head);
}

/** Leads a browser to the login. Without scripts, the page leads there too, and the part behind `#` is lost. */
export function sendWayToLogin(reply: FastifyReply, login: string): FastifyReply {
  const path = escaped(login);
  const { needed } = textsFor(reply);
  void reply.headers({ ...headers, 'content-security-policy': `${policy}; script-src ${sha256(KEEP)}` });
  return sendPage(
    reply,
    { ...needed, link: [login, needed.link] },
    `<link rel="next" href="${path}">
<noscript><meta http-equiv="refresh" content="0;url=${path}"></noscript>
<script>${KEEP}</script>`,
  );
}

export function sendSignedOut(reply: FastifyReply): FastifyReply {
  const { loggedOut, again } = textsFor(reply);
  return send(reply, { ...loggedOut, link: ['/console/login', again] });
}

interface Page {
  readonly title: string;
  readonly text: string;
  readonly link: readonly [path: string, words: string];
}

function textsFor({ request }: FastifyReply): LoginTexts {
  return textsForHeader(loginLanguages, request.headers['accept-language']);
}

function send(reply: FastifyReply, page: Page, head = ''): FastifyReply {
  return sendPage(reply.headers(headers), page, head);
}

function sendPage(reply: FastifyReply, { title, text, link: [path, words] }: Page, head: string): FastifyReply {
  return reply.send(`<!doctype html>
<html lang="${textsFor(reply).lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
${head}
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
<p><a href="${escaped(path)}">${words}</a></p>
</main>
</body>
</html>
`);
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
