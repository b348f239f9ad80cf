import { randomBytes } from 'node:crypto';
import { request } from 'undici';
import { tokenRequest } from '../../gateway/console/access/login-server.ts';
import { fetchFault } from '../../gateway/server-client/fetch-json.ts';
import { parseJsonObject } from '../../jwt/json.ts';
import { faultRemedy } from './faults.ts';
import { bad, type DoctorProbe, doubtful, good, type Seen } from './finding.ts';
import type { OperatorLogin } from './operator-login.ts';

/**
 * Sends a made-up code with the credentials of the console. A server authenticates the client before it checks the code
 * (RFC 6749 §3.2.1), so its error says whether it accepts the client.
 */
export async function lookAtClient(
  login: OperatorLogin,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<DoctorProbe['look']>>> {
  const { endpoints, redirectUri, block, agent } = login;
  const found = await endpoints();
  // Another check reports a server without these endpoints.
  if ('kind' in found) return [];
  const { tokenEndpoint } = found;
  const redeeming = { code: invented(), verifier: invented(), redirectUri };
  const asked = await tokenRequest({ block, tokenEndpoint }, redeeming, login);
  if (asked.kind === 'failed') return bad(asked.detail, 'correct `client_key` in the block of the server');
  const { url, form, headers } = asked;
  const fields = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded', ...headers };
  try {
    const answer = await request(url, {
      dispatcher: agent,
      method: 'POST',
      headers: fields,
      body: form.toString(),
      signal,
    });
    return judge(login, url, answer.statusCode, errorIn(new Uint8Array(await answer.body.arrayBuffer())));
  } catch (error) {
    const fault = fetchFault(error);
    return bad(`${url}: ${fault}`, faultRemedy(fault, 'see the log of the server'));
  }
}

function invented(): string {
  return randomBytes(32).toString('base64url');
}

function errorIn(body: Uint8Array): unknown {
  return parseJsonObject(body)?.error;
}

/** Errors of RFC 6749 §5.2 → what they say about the client. */
const judgements: Readonly<Record<string, (login: OperatorLogin, url: string) => Seen>> = {
  invalid_grant: ({ access, block }) =>
    good(
      hasSecret(access, block)
        ? "the server accepts the client's credentials, and refuses a made-up code, as it should"
        : 'the server accepts the client without a secret, and refuses a made-up code, as it should',
    ),
  invalid_client: refused,
  unauthorized_client: ({ client }, url) =>
    bad(
      `${url} does not allow codes for this client: unauthorized_client`,
      `allow the grant authorization_code for ${client} there`,
    ),
};

function judge(login: OperatorLogin, url: string, status: number, error: unknown): Seen {
  const known = typeof error === 'string' && Object.hasOwn(judgements, error) ? judgements[error] : undefined;
  if (known !== undefined && status >= 400) return known(login, url);
  if (status === 401 || status === 403) return refused(login, url);
  if (status < 400)
    return bad(`doctor sent a made-up code: ${url} answers with status ${status}`, 'correct the `issuer`');
  return doubtful(
    `doctor sent a made-up code: ${url} answers with status ${status}, which does not show whether it accepts the client`,
    'see the log of the server',
  );
}

function refused({ client, access, block }: OperatorLogin, url: string): Seen {
  const at = access.client_id === undefined ? `authorization_servers.${access.authorization_server}` : 'admin.access';
  if (!hasSecret(access, block))
    return bad(`${url} refuses the client without a secret`, `write the \`client_secret\` of ${client} in \`${at}\``);
  return bad(
    `${url} refuses the credentials of the client`,
    `compare \`client_id\` and its secret in \`${at}\` with the client's registration at the authorization server`,
  );
}

/** A key counts as a secret too. */
function hasSecret(access: OperatorLogin['access'], block: OperatorLogin['block']): boolean {
  if (access.client_id !== undefined) return access.client_secret !== undefined;
  return block.client_secret !== undefined || block.client_key !== undefined;
}
