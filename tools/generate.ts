// `npm run generate`: writes what is generated from the source. `--check` reports stale files and exits with 1.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { badParameter, errcodes, invalidSignature } from '../src/authorization/browserless/errcode.ts';
import { AuthorizationSchema } from '../src/config/schema/authorization.ts';
import { GatewaySchema } from '../src/config/schema/gateway.ts';
import type { Schema } from '../src/config/schema/input-schema.ts';
import { editorSchema } from '../src/config/show/editor-schema.ts';
import { type CodeEntry, codeGroups } from '../src/gateway/message/codes.ts';
import { type OAuthErrorEntry, oauthErrors } from '../src/oauth/errors.ts';
import { chartFiles } from './chart/files.ts';
import { configurationPage } from './configuration-page.ts';
import { configurationTypes } from './configuration-types.ts';
import { decisionsPage } from './decisions-page.ts';
import { metricsPage } from './metrics-page.ts';
import { nginxFiles } from './nginx-files.ts';

/** Everything that is generated from the source: path → text. */
export function generated(): Readonly<Record<string, string>> {
  return {
    'config/gateway.schema.json': json(editorSchema(GatewaySchema as unknown as Schema, 'Gatehouse: gateway.yaml')),
    'config/authorization.schema.json': json(
      editorSchema(AuthorizationSchema as unknown as Schema, 'Gatehouse: authorization.yaml'),
    ),
    'config/files.d.ts': configurationTypes(),
    'docs/configuration.md': configurationPage(),
    'docs/decisions/README.md': decisionsPage(),
    'docs/errors.md': errorsPage(),
    'docs/metrics.md': metricsPage(),
    ...chartFiles(),
    ...nginxFiles(),
  };
}

/** The generated files that are missing or out of date. */
export function staleFiles(): readonly string[] {
  return Object.entries(generated()).flatMap(([path, text]) => (current(path) === text ? [] : [path]));
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

const titles: Record<keyof typeof codeGroups, string> = {
  targets: 'The request target and Host',
  framing: 'The message',
  routing: 'The route',
  asking: 'A proxy that asks',
  credentials: 'The credential',
  throttling: 'Limits',
  permission: 'What the credential allows',
  mcp: 'Model Context Protocol',
  outages: 'Outages',
};

function errorsPage(): string {
  const groups = Object.entries(codeGroups) as [keyof typeof codeGroups, Record<string, CodeEntry>][];
  return [
    '# Errors',
    '<!-- Made by `npm run generate` from src/gateway/message/codes.ts and src/oauth/errors.ts: do not edit. -->',
    'This page lists every code of a refusal or an outage, with its status, its sentence and the remedy. Codes are stable. Let programs branch on the code, never on the sentence.',
    '## Gateway',
    'The gateway answers a refusal or an outage with problem JSON (RFC 9457). The body has a `code` of this page, and a `request_id`, which the log line has too. The tables show the status of this answer. If nginx asked the gateway, the log line has the status that nginx got: 500 for `question_unclear`, and 401 or 403 for all other codes. [Behind nginx](cookbook/behind-nginx.md#what-the-log-says) has examples. The body also has a `ticket`: the sealed decision, which `gatehouse why` opens. If the bytes of the client are not a whole request, there is no `request_id`. A JSON-RPC request on an `mcp` route gets a JSON-RPC error, and its `data` has the same members. There are two conditions: the gateway read the message, and the client accepts JSON. Otherwise, the answer is problem JSON. Examples are 401 for a request without a credential, 403 `origin_refused`, 413 and 415. If a value in a token is wrong, such as `aud`, the ticket and the log show this value and the expected value. The answer shows neither. If the row of the code has an `error`, the challenge in `WWW-Authenticate` has the same `error` (RFC 6750 §3.1).',
    ...groups.flatMap(([group, entries]) => [`### ${titles[group]}`, table(Object.entries(entries))]),
    '## Authorization service',
    'The body is `{"error": …, "error_description": …, "request_id": …}` (RFC 6749 §5.2). If the column `error` is empty, the member `error` has the code. The header `X-Request-Id` has the `request_id` too. The log line with this id has the code. Error pages show the same id. A request for an unknown path gets another answer: a program gets `application/problem+json` (RFC 9457) with the `code`, and a browser gets a page.',
    table(Object.entries(oauthErrors as Record<string, OAuthErrorEntry>)),
    '### `session.errors: errcode`',
    `With this setting, /oauth2/session and /oauth2/session/check answer every refusal except a wrong method (405) with status 200 and the body \`{"errcode": …, "errmsg": …, "request_id": …}\`. For a code that is not in this table, \`errcode\` is ${badParameter}. At /oauth2/session/check, \`errcode\` for \`invalid_grant\` is ${invalidSignature[0]}.`,
    errcodeTable(),
  ]
    .join('\n\n')
    .concat('\n');
}

function table(entries: readonly (readonly [string, CodeEntry | OAuthErrorEntry])[]): string {
  const isTold = entries.some(([, entry]) => 'remedy' in entry);
  const rows = entries.map(([code, entry]) => {
    const { status, error, text } = entry;
    const cells = [`\`${code}\``, status, error === undefined ? '' : `\`${error}\``, text];
    return row('remedy' in entry ? [...cells, entry.remedy] : cells);
  });
  const heads = ['code', 'status', 'error', 'what it says', ...(isTold ? ['what to do'] : [])];
  return [row(heads), `|${'---|'.repeat(heads.length)}`, ...rows].join('\n');
}

function errcodeTable(): string {
  const rows = Object.entries(errcodes).map(([code, [errcode, errmsg]]) => row([errcode, errmsg, `\`${code}\``]));
  return [row(['errcode', 'errmsg', 'code']), '|---|---|---|', ...rows].join('\n');
}

function row(cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |`;
}

function pathOf(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

function current(path: string): string | undefined {
  try {
    return readFileSync(pathOf(path), 'utf8');
  } catch {
    return undefined;
  }
}

function write(): void {
  for (const [path, text] of Object.entries(generated())) {
    mkdirSync(dirname(pathOf(path)), { recursive: true });
    writeFileSync(pathOf(path), text);
  }
}

function report(stale: readonly string[]): void {
  for (const path of stale) console.error(`${path} is stale: run \`npm run generate\``);
  if (stale.length > 0) process.exitCode = 1;
}

if (import.meta.main) {
  if (process.argv.includes('--check')) report(staleFiles());
  else write();
}
