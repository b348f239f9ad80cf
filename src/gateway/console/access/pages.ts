import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

/** Why a login did not succeed. */
export type LoginFault = keyof typeof faults;

interface Told {
  readonly status: number;
  readonly title: string;
  readonly text: string;
}

/** The words contain nothing of the request, so a link cannot put a text of its own on the page. */
const faults = {
  state: {
    status: 400,
    title: 'This answer belongs to no open login',
    text: 'The login began in another browser or at another address, has ended already, or took longer than ten minutes. Some browsers keep no cookie of an http address: then use https.',
  },
  issuer: {
    status: 400,
    title: 'The answer came from another server',
    text: 'The answer does not name the authorization server of this gateway. The gateway did not use it.',
  },
  denied: {
    status: 403,
    title: 'The authorization server refused the login',
    text: 'You or the server denied the access. Log in again and allow it, or ask the operator of the server.',
  },
  scope: {
    status: 403,
    title: 'You may not use this console',
    text: 'You are logged in, but your account did not get the scope that this console needs. Ask the operator of the authorization server for it.',
  },
  user: {
    status: 403,
    title: 'You may not use this console',
    text: 'You are logged in, but your account is not in the list of users of this console.',
  },
  token: {
    status: 502,
    title: 'The gateway could not verify the login',
    text: 'The log of the gateway has the reason.',
  },
  server: {
    status: 502,
    title: 'The authorization server gave no token',
    text: 'The log of the gateway has the reason. Check the client, its secret and its redirect address.',
  },
  outage: {
    status: 503,
    title: 'The authorization server does not answer',
    text: 'Log in again later. The log of the gateway has the reason.',
  },
} as const satisfies Readonly<Record<string, Told>>;

const STYLE =
  ':root{color-scheme:light dark}body{max-width:40rem;margin:4rem auto;padding:0 1rem;font:1.125rem/1.5 system-ui,sans-serif}';

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
  const { status, title, text } = faults[fault];
  return send(reply.code(status), { title, text, link: ['/console/login', 'Log in again'] });
}

/**
 * The end of a login. A redirect would continue the chain that another site began, so browsers would call the console's request
 * a cross-site one. This page begins a new chain.
 */
export function sendArrival(reply: FastifyReply, path: string): FastifyReply {
  const page = { title: 'You are logged in', text: 'The console opens.', link: [path, 'Open the console'] as const };
  return send(reply, page, `<meta http-equiv="refresh" content="0;url=${escaped(path)}">`);
}

/** Leads a browser to the login. Without scripts, the page leads there too, and the part behind `#` is lost. */
export function sendWayToLogin(reply: FastifyReply, login: string): FastifyReply {
  const path = escaped(login);
  const page = { title: 'You have to log in', text: 'The login opens.', link: [login, 'Log in'] as const };
  void reply.headers({ ...headers, 'content-security-policy': `${policy}; script-src ${sha256(KEEP)}` });
  return sendPage(
    reply,
    page,
    `<link rel="next" href="${path}">
<noscript><meta http-equiv="refresh" content="0;url=${path}"></noscript>
<script>${KEEP}</script>`,
  );
}

export function sendSignedOut(reply: FastifyReply): FastifyReply {
  const text = 'You may still be logged in at the authorization server.';
  return send(reply, { title: 'You are logged out of the console', text, link: ['/console/login', 'Log in again'] });
}

interface Page {
  readonly title: string;
  readonly text: string;
  readonly link: readonly [path: string, words: string];
}

function send(reply: FastifyReply, page: Page, head = ''): FastifyReply {
  return sendPage(reply.headers(headers), page, head);
}

function sendPage(reply: FastifyReply, { title, text, link: [path, words] }: Page, head: string): FastifyReply {
  return reply.send(`<!doctype html>
<html lang="en">
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
