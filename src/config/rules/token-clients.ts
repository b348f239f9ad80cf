import { type AdminConfig, isByServer } from '../schema/admin.ts';
import type { AuthorizationConfig, TokenFormat } from '../schema/authorization.ts';
import type { Pointer } from '../words/problem.ts';
import { scopeWords } from '../words/scope-words.ts';

/** A client of the service's file that gets access tokens, or all clients that register themselves in one way. */
export interface TokenClient {
  /** For messages. */
  readonly who: string;
  readonly at: Pointer;
  readonly format: TokenFormat;
  /** The client may request at most these scopes. */
  readonly scope: readonly string[];
}

/** Leaves out the client of the console: no route of the gateway gets its tokens. */
export function tokenClients(
  { clients, tokens, registration }: AuthorizationConfig,
  admin: AdminConfig | undefined,
): readonly TokenClient[] {
  const byDefault = tokens.access.format;
  const ofFile = clients.map(
    ({ client_id, access_token_format: format = byDefault, scope = '', grant_types }, index) => ({
      who: `the client \`${client_id}\``,
      at: ['clients', index],
      format,
      scope: scopeWords(scope),
      getsTokens: grant_types.length > 0 && client_id !== consoleClient(admin),
    }),
  );
  const ofOthers = (['cimd', 'dynamic'] as const).map((key) => ({
    who: 'clients that register themselves',
    at: ['registration', key],
    format: byDefault,
    scope: scopeWords(registration[key].scope ?? ''),
    getsTokens: registration[key].enabled,
  }));
  return [...ofFile, ...ofOthers].filter(({ getsTokens }) => getsTokens);
}

export function givesJwts(service: AuthorizationConfig, admin: AdminConfig | undefined): boolean {
  return tokenClients(service, admin).some(({ format }) => format === 'jwt');
}

function consoleClient(admin: AdminConfig | undefined): string | undefined {
  return admin !== undefined && isByServer(admin.access) ? admin.access.client_id : undefined;
}
