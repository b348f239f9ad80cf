import { isRegistered } from '../../authorization/browser/redirect-address.ts';
import type { AuthorizationConfig } from '../../config/schema/authorization.ts';
import { CALLBACK_PATH } from './callback-server.ts';

const WITHOUT_PORT = `http://127.0.0.1${CALLBACK_PATH}`;

/** How to register the redirect address. Some servers compare the port too, although RFC 8252 §7.3 forbids it. */
export function howToRegister(clientId: string, port: number | undefined): string {
  const exact = port === undefined ? '--port N and http://127.0.0.1:N' : `http://127.0.0.1:${port}`;
  return `register ${WITHOUT_PORT} for the client ${clientId}; if the server compares ports, use ${exact}${CALLBACK_PATH}`;
}

/**
 * Why a client of the file cannot log in with this command. Undefined: it can log in, or only the store knows the
 * client.
 */
export function registrationFault({ clients }: AuthorizationConfig, clientId: string): string | undefined {
  const client = clients.find(({ client_id }) => client_id === clientId);
  if (client === undefined) return undefined;
  if (!client.grant_types.includes('authorization_code'))
    return `the client ${clientId} may not use \`authorization_code\`: add this grant type to the \`grant_types\` of the client`;
  if (isRegistered(WITHOUT_PORT, client.redirect_uris)) return undefined;
  return `the redirect address is not registered: add ${WITHOUT_PORT} to the \`redirect_uris\` of the client ${clientId}`;
}
