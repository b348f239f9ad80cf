import { comment, scalar, yamlList } from '../../config/words/yaml-text.ts';
import type { Imported } from '../common/imported.ts';
import { objectOr, readDocument } from './document.ts';
import type { Requirement } from './requirement.ts';
import { type ImportedRoute, routesOf } from './routes.ts';
import { issuerOf, serverOf } from './server.ts';

/** A whole gateway.yaml, which `gatehouse check` accepts unchanged. */
export function importOpenApi(text: string): Imported {
  const document = readDocument(text);
  if (typeof document === 'string') return { kind: 'fault', message: document };
  const server = serverOf(document);
  const found = routesOf(document, server.prefix);
  if (found.kind === 'fault') return found;
  const { routes, left } = found;
  const { issuer, note } = issuerOf(document);
  const title = objectOr(document.root.info)?.title;
  const lines = [
    `# ${comment(`From the OpenAPI document of ${title ?? 'an API'}`)}. A comment marks each part that was not imported.`,
    'version: 1',
    'listen: 127.0.0.1:8080',
    'authorization_servers:',
    '  main:',
    `    issuer: ${scalar(issuer)}    # ${comment(note)}`,
    '    # The API that tokens must be for (`aud`). No OpenAPI document names it. Without it, `gatehouse check` warns:',
    '    # audience: https://api.example.com',
    "    # The gateway's client for introspection of tokens that are no JWTs:",
    '    # client_id: gateway',
    `    # client_secret: "\${GATEWAY_SECRET}"`,
    'upstreams:',
    ...notes('  ', server.notes),
    `  api: { url: ${scalar(server.url)} }`,
    'defaults: { upstream: api }',
    'routes:',
    ...routes.flatMap(routeLines),
    ...(left.length === 0 ? [] : ['  # Not imported:', ...notes('  ', left)]),
  ];
  return { kind: 'yaml', text: lines.map((line) => `${line}\n`).join('') };
}

function routeLines({ id, path, methods, requirement, notes: own }: ImportedRoute): readonly string[] {
  const { access, scope, notes: missing } = requirement;
  const match = `match: { methods: ${yamlList(methods)}, path: ${scalar(path)} }`;
  const first = id === undefined ? [`  - ${match}`] : [`  - id: ${scalar(id)}`, `    ${match}`];
  return [...first, ...notes('    ', [...own, ...missing]), ...needs(access, scope)];
}

/** No value of `access` rejects every caller, but a condition that is never true does. */
function needs(access: Requirement['access'], scope: readonly string[]): readonly string[] {
  if (access === undefined) return [`    scope: ${scopeText(scope)}`];
  return access === 'closed' ? ['    access: authenticated', '    when: "false"'] : [`    access: ${access}`];
}

function scopeText(scope: readonly string[]): string {
  const [only] = scope;
  return scope.length === 1 && only !== undefined ? scalar(only) : `{ any_of: ${yamlList(scope)} }`;
}

function notes(indent: string, texts: readonly string[]): readonly string[] {
  return texts.map((text) => `${indent}# ${comment(text)}`);
}
