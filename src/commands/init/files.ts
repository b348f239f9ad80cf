import { randomBytes } from 'node:crypto';
import { scopeWords } from '../../config/words/scope-words.ts';
import { scalar } from '../../config/words/yaml-text.ts';
import { apiOf, everythingYaml } from '../common/api-url.ts';
import type { Answers } from './questions.ts';

export interface NewFile {
  /** Relative to the folder. */
  readonly path: string;
  readonly text: string;
  /** Only its owner may read it. */
  readonly isSecret: boolean;
  /** A secret that this command makes. An existing secret is kept, because running programs may use it. */
  readonly isDrawn: boolean;
}

/** The issuer of the Gatehouse service that is written beside the gateway. */
export const OWN_ISSUER = 'http://localhost:8081';

/** The client that gets the first tokens. */
export const FIRST_CLIENT = 'first-client';

const secrets = {
  ticket: 'secrets/ticket.key',
  gateway: 'secrets/gateway',
  first: `secrets/${FIRST_CLIENT}`,
} as const;

/** All files for these answers. `secret`: the existing secret of `clientId`. */
export function filesFor(answers: Answers, listen: string, secret: string | undefined): readonly NewFile[] {
  const isOwn = answers.issuer === undefined;
  return [
    plainFile('gateway.yaml', gatewayYaml(answers, listen)),
    ...(isOwn ? [plainFile('authorization.yaml', authorizationYaml(answers))] : []),
    drawn(secrets.ticket, 'base64'),
    ...(isOwn ? [drawn(secrets.gateway, 'base64url'), drawn(secrets.first, 'base64url')] : []),
    ...(secret === undefined ? [] : [secretFile(secrets.gateway, secret, false)]),
    plainFile('secrets/.gitignore', IGNORE_ALL),
    // The service stores its database there, with the key that encrypts it.
    ...(isOwn ? [plainFile('data/.gitignore', IGNORE_ALL)] : []),
  ];
}

const IGNORE_ALL = '# Nothing here belongs in a repository.\n*\n';

function plainFile(path: string, text: string): NewFile {
  return { path, text, isSecret: false, isDrawn: false };
}

function drawn(path: string, encoding: 'base64' | 'base64url'): NewFile {
  return secretFile(path, randomBytes(32).toString(encoding), true);
}

function secretFile(path: string, text: string, isDrawn: boolean): NewFile {
  return { path, text: `${text}\n`, isSecret: true, isDrawn };
}

function gatewayYaml(answers: Answers, listen: string): string {
  const { api, issuer = OWN_ISSUER, audience, scope } = answers;
  return `# Made by \`gatehouse init\`. All keys: docs/configuration.md. Check it with: gatehouse check gateway.yaml
version: 1
listen: ${scalar(listen)}
health: 127.0.0.1:9900                          # /livez, /readyz, /metrics
admin: 127.0.0.1:9901                           # /decisions, /routes, /reload
ticket_keys: ["\${file:${secrets.ticket}}"]     # \`gatehouse why\` opens the ticket of a refusal
authorization_servers:
  main:
    issuer: ${scalar(issuer)}
    audience: ${scalar(audience)}
${clientYaml(answers)}${everythingYaml(apiOf(api), wanted(answers))}${testsYaml(wanted(answers))}`;

  function wanted({ issuer: named }: Answers): string | undefined {
    return named === undefined ? (scope ?? OWN_SCOPE) : scope;
  }
}

/** The default scope of the first client. */
const OWN_SCOPE = 'api';

function clientYaml({ issuer, clientId }: Answers): string {
  const id = issuer === undefined ? 'gateway' : clientId;
  if (id === undefined) return '';
  return `    client_id: ${scalar(id)}
    client_secret: "\${file:${secrets.gateway}}"
`;
}

function testsYaml(scope: string | undefined): string {
  const token = scope === undefined ? '{ sub: someone }' : `{ scope: ${scalar(scope)} }`;
  return `tests:                                          # they run in \`check\`, at start, and before a reload
  - { request: GET /, expect: { refuse: 401, code: credential_missing } }
  - { request: GET /, token: ${token}, expect: { forward: true, route: everything } }
${scope === undefined ? '' : '  - { request: GET /, token: { sub: someone }, expect: { refuse: 403, code: scope_insufficient } }\n'}`;
}

function authorizationYaml({ audience, scope = OWN_SCOPE }: Answers): string {
  const scopes = scopeWords(scope).map((word) => `  ${scalar(word)}: ${scalar(`Use the API (${word})`)}\n`);
  return `# Made by \`gatehouse init\`. All keys: docs/configuration.md. Add users: gatehouse user add NAME. The database is in data/
version: 1
issuer: ${OWN_ISSUER}
listen: 127.0.0.1:8081
health: 127.0.0.1:9903
resources: [${scalar(audience)}]
scopes:
${scopes.join('')}clients:
  - client_id: gateway                          # it introspects tokens, and follows the revocation feed
    client_secret: "\${file:${secrets.gateway}}"
    introspect: true
    events: true
  - client_id: ${FIRST_CLIENT}
    client_secret: "\${file:${secrets.first}}"
    scope: ${scalar(scope)}
    grant_types: [client_credentials]
`;
}
