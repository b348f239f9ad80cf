import { type Code, entry } from './codes.ts';
import { connectionRemedy } from './connection-faults.ts';

/** What the operator can do, who has the reason too. The remedy of the code is also for the client. */
export function operatorRemedy(code: Code, reason = ''): string {
  return code === 'authorization_server_unavailable' ? ofServer(reason) : entry(code).remedy;
}

/** The server rejects the credentials of the gateway. */
const REJECTED = /rejects this gateway's client_id or its secret/;

/** The reason begins with the server's place in the file. */
function ofServer(reason: string): string {
  const name = /^authorization_servers\.([^:]+):/.exec(reason)?.[1];
  if (REJECTED.test(reason)) return `Correct \`client_id\` and \`client_secret\` of ${placeOf(name)}.`;
  const line = name === undefined ? 'The log line of the server' : `The log line with \`"server":"${name}"\``;
  const known = connectionRemedy(reason);
  const first = known === undefined ? '' : `${sentence(known)} `;
  return `${first}${line} names the URL and the fault. \`gatehouse doctor\` tests the server.`;
}

function placeOf(name: string | undefined): string {
  return name === undefined ? 'the authorization server' : `\`authorization_servers.${name}\``;
}

function sentence(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}.`;
}
