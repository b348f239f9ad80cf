import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { readOwnFile } from '../../base/own-files.ts';

const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

/** Every file of the pages. Packages of npm are copies, and a test compares them with the packages. */
const files: Readonly<Record<string, string>> = {
  'app.js': SCRIPT,
  'api.js': SCRIPT,
  'explanation.js': SCRIPT,
  'health.js': SCRIPT,
  'language.js': SCRIPT,
  'live.js': SCRIPT,
  'live-stream.js': SCRIPT,
  'operator.js': SCRIPT,
  'playground.js': SCRIPT,
  'result.js': SCRIPT,
  'routes.js': SCRIPT,
  'state.js': SCRIPT,
  'test-entry.js': SCRIPT,
  'texts/de.js': SCRIPT,
  'texts/en.js': SCRIPT,
  'token.js': SCRIPT,
  'ui.js': SCRIPT,
  'yaml-editor.js': SCRIPT,
  'style.css': CSS,
  'vendor/htm.js': SCRIPT,
  'vendor/preact.js': SCRIPT,
  'vendor/preact-hooks.js': SCRIPT,
  'vendor/signals.js': SCRIPT,
  'vendor/signals-core.js': SCRIPT,
  'vendor/uplot.js': SCRIPT,
  'vendor/uplot.css': CSS,
};

/** The names of packages in the modules, and their files. */
const packages: Readonly<Record<string, string>> = {
  htm: 'vendor/htm.js',
  preact: 'vendor/preact.js',
  'preact/hooks': 'vendor/preact-hooks.js',
  '@preact/signals': 'vendor/signals.js',
  '@preact/signals-core': 'vendor/signals-core.js',
};

interface Served {
  readonly index: string;
  readonly policy: string;
  /** The folder of the files. Its name changes with their content, so browsers may cache them forever. */
  readonly folder: string;
  readonly bodies: ReadonlyMap<string, Buffer>;
}

/** The pages, each with its own address. Their state is in the fragment, which browsers do not send. */
const pageNames = ['live', 'routes', 'playground', 'token', 'health'] as const;

/** Serves the pages below `/console`, without any file of another origin. */
export function servePages(app: FastifyInstance): void {
  const served = readPages();
  app.get('/console', (_request, reply) => reply.redirect('/console/live'));
  for (const name of pageNames) app.get(`/console/${name}`, (_request, reply) => sendIndex(reply, served));
  app.get(`${served.folder}/favicon.svg`, (_request, reply) => sendFile(reply, 'image/svg+xml', FAVICON));
  for (const [name, body] of served.bodies) {
    app.get(`${served.folder}/${name}`, (_request, reply) => sendFile(reply, files[name] as string, body));
  }
}

const FAVICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#175cd3"/><path d="M8 25V13a8 8 0 0 1 16 0v12M16 6v19M8 17h16" fill="none" stroke="#fff" stroke-width="2.4"/></svg>';

function sendIndex(reply: FastifyReply, { index, policy }: Served): FastifyReply {
  return reply
    .headers({ ...guards, 'cache-control': 'no-store', 'content-security-policy': policy })
    .type('text/html; charset=utf-8')
    .send(index);
}

function sendFile(reply: FastifyReply, type: string, body: string | Buffer): FastifyReply {
  const policy = "default-src 'none'; frame-ancestors 'none'; sandbox";
  return reply
    .headers({ ...guards, 'cache-control': 'public, max-age=31536000, immutable', 'content-security-policy': policy })
    .type(type)
    .send(body);
}

const guards = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

function readPages(): Served {
  const names = Object.keys(files);
  const bodies = new Map(names.map((name) => [name, readOwnFile(new URL(`console-page/${name}`, import.meta.url))]));
  const folder = `/console/files/${hashOf(Buffer.concat([...bodies.values()]), 'base64url').slice(0, 16)}`;
  const map = JSON.stringify({ imports: Object.fromEntries(importsIn(folder)) });
  return { index: indexOf(folder, map), policy: policyFor(map), folder, bodies };
}

function importsIn(folder: string): readonly (readonly [string, string])[] {
  return Object.entries(packages).map(([name, file]) => [name, `${folder}/${file}`] as const);
}

function hashOf(data: string | Buffer, encoding: 'base64' | 'base64url'): string {
  return createHash('sha256').update(data).digest(encoding);
}

/** Only our own files run, and no text can become code: Trusted Types without any policy (CSP 3, Trusted Types §4). */
function policyFor(map: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hashOf(map, 'base64')}'`,
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

function indexOf(folder: string, map: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Gatehouse console</title>
<link rel="icon" href="${folder}/favicon.svg">
<link rel="stylesheet" href="${folder}/style.css">
<link rel="stylesheet" href="${folder}/vendor/uplot.css">
<script type="importmap">${map}</script>
<script src="${folder}/vendor/uplot.js" defer></script>
<script type="module" src="${folder}/app.js"></script>
</head>
<body>
<div id="app"><noscript>The console needs scripts. \`gatehouse top\` shows the gateway in a terminal.</noscript></div>
</body>
</html>
`;
}
