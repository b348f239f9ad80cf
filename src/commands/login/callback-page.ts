import { createHash } from 'node:crypto';
import { html } from '../../authorization/pages/html.ts';

/** What the browser shows at the end of a login. */
export interface CallbackPage {
  readonly status: number;
  readonly title: string;
  readonly text: string;
}

export const signedInPage: CallbackPage = {
  status: 200,
  title: 'You are signed in',
  text: 'The command in your terminal has the token.',
};

export function failedPage(reason: string): CallbackPage {
  return { status: 400, title: 'The sign-in failed', text: `${reason}.` };
}

export const foreignPage: CallbackPage = {
  status: 400,
  title: 'This answer belongs to another sign-in',
  text: 'Its `state` is not the value that the waiting command sent. The command still waits for its own answer.',
};

export const lateAnswerPage: CallbackPage = {
  status: 410,
  title: 'This sign-in already has its answer',
  text: 'The command in your terminal accepts only one answer.',
};

const STYLE = 'body{max-width:40rem;margin:4rem auto;padding:0 1rem;font:1.125rem/1.5 system-ui,sans-serif}';
const style = html`<style>body{max-width:40rem;margin:4rem auto;padding:0 1rem;font:1.125rem/1.5 system-ui,sans-serif}</style>`;
const hash = createHash('sha256').update(STYLE).digest('base64');

export const callbackHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`,
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  connection: 'close',
} as const;

export function callbackHtml({ title, text }: CallbackPage): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
${style}
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
<p>You can close this tab.</p>
</main>
</body>
</html>
`.toString();
}
