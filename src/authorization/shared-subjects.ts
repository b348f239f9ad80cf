import { seconds } from '../base/clock.ts';
import { StorageUnusable } from '../storage/engine/errors.ts';
import type { Service } from './service/service.ts';

/**
 * A token that a client gets for itself has the client's id as `sub`, so no user may have this subject (RFC 9068 §5). The
 * checks of the file and the methods of the store each enforce this for their own part. This function compares the file with
 * the store. Rejects with `StorageUnusable`.
 */
export async function refuseSharedSubjects(service: Service): Promise<void> {
  const faults = [...(await storedClientFaults(service)), ...(await storedUserFaults(service))];
  if (faults.length > 0) throw new StorageUnusable(faults.join('\n'));
}

async function storedClientFaults({ config, records, clock }: Service): Promise<readonly string[]> {
  const users = new Map(config.users.map(({ subject, username }) => [subject, username]));
  const clients = users.size === 0 ? [] : await records.listClients(seconds(clock));
  return clients.flatMap(({ id }) => {
    const username = users.get(id);
    if (username === undefined) return [];
    const remedy = `run \`gatehouse client remove ${id}\`, or write another \`subject: …\` for the user`;
    return [`the id of the client ${id} in the store ${named(username)} in the file: ${remedy}`];
  });
}

async function storedUserFaults({ config, records }: Service): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const { client_id } of config.clients) {
    const user = await records.findAccountBySubject(client_id);
    if (user === undefined) continue;
    const remedy = `write another \`client_id: …\`, or run \`gatehouse user remove ${user.username}\``;
    faults.push(`the id of the client ${client_id} in the file ${named(user.username)} in the store: ${remedy}`);
  }
  return faults;
}

function named(username: string): string {
  return `is also the subject of the user ${username}`;
}
