import { usernameKey } from '../../../base/username.ts';
import { parseHtpasswd } from '../../files/htpasswd.ts';
import { passesOver } from '../../files/referred-file.ts';
import { readUserFile } from '../../files/user-file.ts';
import { sharedDatabaseFaults } from '../../words/database-url.ts';
import { isLoopback } from '../../words/host.ts';
import type { Finding, Pointer } from '../../words/problem.ts';
import { each, type FileFacts, type PlacedBlock, type SchemeCheck } from '../scheme.ts';
import { plainRealm, scopesOfUsers, strangers, usersPathOf, warnedAt } from '../users-rules.ts';
import type { BasicConfig } from './schema.ts';

type Block = PlacedBlock<BasicConfig>;

export const basicChecks: readonly SchemeCheck<BasicConfig>[] = [
  plainRealm,
  { rule: 'connections that are secure enough for Basic', findings: each(insecureFaults) },
  scopesOfUsers,
  { rule: 'users of Basic', findings: each(userFaults) },
];

/** RFC 7617 §4: anyone who listens on the connection gets the password. */
function insecureFaults({ at, value }: Block, { hasTls, trustsProxies, host }: FileFacts): readonly Finding[] {
  if (value.allow_insecure || hasTls || trustsProxies || isLoopback(host)) return [];
  return [
    {
      pointer: at,
      message:
        'no request is secure enough for Basic: the listener has no TLS, and there is no trusted proxy that could have TLS',
      hint: 'add `tls` to `listen`, or name the proxy in `trusted_proxies`; `allow_insecure: true` accepts passwords in plain text',
      atKey: true,
    },
  ];
}

function userFaults({ at, value: { users, scopes } }: Block, { around }: FileFacts): readonly Finding[] {
  const pointer = [...at, 'users'];
  const names = Object.keys(scopes);
  if (typeof users !== 'string')
    return [
      ...sharedDatabaseFaults([...pointer, 'storage'], users.storage),
      ...names.flatMap((name) => foldedFaults([...at, 'scopes', name], name)),
    ];
  if (passesOver(users, around, 'secrets')) return [];
  const read = readUserFile(users, around, parseHtpasswd);
  if (!read.ok) return read.faults.map(usersPathOf(pointer));
  return [...read.warnings.map(warnedAt(pointer)), ...strangers(at, names, [...read.users.keys()])];
}

/** An account's name has one spelling. With another spelling here, no user ever has this scope. */
function foldedFaults(pointer: Pointer, name: string): readonly Finding[] {
  const key = usernameKey(name);
  if (key === name) return [];
  return [{ pointer, message: `no account has the name \`${name}\``, hint: `write \`${key}\``, atKey: true }];
}
