import { shellWord } from '../base/shell-word.ts';
import { thisProgram } from '../base/this-program.ts';
import { addresses, type DemoFiles, type Ports, shop, terminal, user } from './files.ts';

/** The guide that the running demo prints. Every command in it works unchanged, from any folder. */
export function guide(ports: Ports, files: DemoFiles, accessToken: string): string {
  const { issuer, api, upstream, page, admin, health } = addresses(ports);
  return `
  Gatehouse is in front of an API that does not support OAuth.

    gateway                 ${api}/health
    authorization service   ${issuer}/.well-known/oauth-authorization-server
    the legacy API          ${upstream}/orders
    readiness, metrics      ${health}/readyz
    the rules               ${files.gateway}

  Open these in a browser. The user is ${user.name}, and the password is ${user.password}:

  A client page: sign in and consent, and the page shows each step up to the API
    ${page}/

  The login page, which leads to the connected apps
    ${issuer}/oauth2/login

  The console: every decision live with its steps, and a playground that shows what would happen to a request
    ${admin}/console

  Paste these into another terminal, one after the other:

${requests(ports, files, accessToken)}
  Ctrl-C ends the demo and removes its files.
`;
}

/** Titles with their commands. Three digits at the start of a title are the status of the answer. */
function requests(ports: Ports, files: DemoFiles, accessToken: string): string {
  const { api, issuer, admin, token, revocation } = addresses(ports);
  const order = `${api}/orders/7`;
  const bearer = `-H 'Authorization: Bearer ${accessToken}'`;
  const client = `-u ${shop.id}:${shop.secret}`;
  const file = `-c ${shellWord(files.gateway)}`;
  const rows: readonly (readonly [title: string, command: string])[] = [
    [
      `A token for the client "${shop.id}", with the scope orders.read`,
      `curl -s ${client} -d grant_type=client_credentials -d scope=orders.read ${token}`,
    ],
    ['401  no token', `curl -i ${order}`],
    [
      'Why the answer is 401: the command opens the ticket of the answer with the keys of the file',
      `curl -s ${order} | ${gatehouse()} why - ${file}`,
    ],
    ['403  a token without the required scope: DELETE needs orders.write', `curl -i -X DELETE ${bearer} ${order}`],
    [
      'How the gateway would handle a request, step by step, without sending it',
      `${gatehouse()} explain DELETE /orders/7 --scope orders.read ${file}`,
    ],
    ['200  a token with the scope', `curl -i ${bearer} ${order}`],
    [
      'Revoke the token: the gateway rejects it within a second',
      `curl -s ${client} -d token=${accessToken} ${revocation} && sleep 1 && curl -s ${bearer} ${order}`,
    ],
    ['The decisions of the next 30 seconds, live', `curl -N ${admin}/decisions`],
    [
      `A token for ${user.name}: the command opens a browser, and prints the token after the sign-in`,
      `${gatehouse()} login --issuer ${issuer} --client-id ${terminal.id}`,
    ],
  ];
  return rows.map(([title, command]) => `  ${title}\n    ${command}\n`).join('\n');
}

/**
 * The full paths of this program and this Node.js. The program may not be installed, and the Node.js in PATH may be too old.
 */
function gatehouse(): string {
  return thisProgram().map(shellWord).join(' ');
}
