import { parseHtpasswd } from '../files/htpasswd.ts';
import { passesOver } from '../files/referred-file.ts';
import { readUserFile } from '../files/user-file.ts';
import {
  type AdminConfig,
  adminParts,
  type BasicAccess,
  isByBasic,
  isByServer,
  type ServerAccess,
} from '../schema/admin.ts';
import { usersPathOf, warnedAt } from '../schemes/users-rules.ts';
import { didYouMean } from '../words/closest.ts';
import { sharedDatabaseFaults } from '../words/database-url.ts';
import { isLoopback } from '../words/host.ts';
import type { Finding } from '../words/problem.ts';
import { scopeTokenFault, scopeWords } from '../words/scope-words.ts';
import { replicaFaults } from './admin-replicas.ts';
import { adminUrlFaults, isBeyondLoopback } from './admin-url.ts';
import type { Check, Checks } from './checks.ts';
import { mayHaveFeed, reportsEnds } from './follows-feed.ts';
import type { GatewaySubject } from './subject.ts';
import { tlsFileFaults } from './tls-files.ts';

/** Rules for the listener of operators, and for the people who may use it. */
export const adminChecks: Checks<GatewaySubject> = {
  'files of TLS for operators': ofAdmin((admin, { around }) => tlsFileFaults(['admin', 'tls'], admin.tls, around)),
  'console for everyone': ofAdmin(openFaults),
  'address of the console': ofAdmin(adminUrlFaults),
  'other gateways of the console': ofAdmin(replicaFaults),
  'server of the console': byServer(serverFaults),
  'client of the console': byServer(clientFaults),
  'scope of the console': byServer(scopeFaults),
  'revocation feed for sessions of the console': byServer(unheardFaults),
  'passwords for the console': byBasic(passwordFaults),
  'users of the console': byBasic(userFaults),
};

type OfAdmin = (admin: AdminConfig, subject: GatewaySubject) => readonly Finding[];

function ofAdmin(judge: OfAdmin): Check<GatewaySubject> {
  return (subject) => (subject.config.admin === undefined ? [] : judge(adminParts(subject.config.admin), subject));
}

function byServer(judge: (access: ServerAccess, subject: GatewaySubject) => readonly Finding[]): Check<GatewaySubject> {
  return ofAdmin(({ access }, subject) => (isByServer(access) ? judge(access, subject) : []));
}

type OfBasic = (access: BasicAccess, subject: GatewaySubject, admin: AdminConfig) => readonly Finding[];

function byBasic(judge: OfBasic): Check<GatewaySubject> {
  return ofAdmin((admin, subject) => (isByBasic(admin.access) ? judge(admin.access, subject, admin) : []));
}

const ACCESS =
  'write `access: { authorization_server: NAME }` or `access: { basic: { users: FILE } }`, or listen on 127.0.0.1';

/** The console shows every decision, and tries requests. */
function openFaults(admin: AdminConfig): readonly Finding[] {
  if (admin.access !== 'loopback' || !isBeyondLoopback(admin)) return [];
  if (!isLoopback(admin.host) && !admin.console) return [];
  const pointer = ['admin', isLoopback(admin.host) ? 'url' : 'console'];
  return [{ pointer, message: 'with `access: loopback`, everyone on the network could use the console', hint: ACCESS }];
}

const SERVER = ['admin', 'access', 'authorization_server'];

function serverFaults({ authorization_server: name }: ServerAccess, { known }: GatewaySubject): readonly Finding[] {
  if (known.servers.includes(name)) return [];
  const hint = didYouMean(name, known.servers) ?? 'describe it in `authorization_servers`';
  return [{ pointer: SERVER, message: `there is no authorization server \`${name}\``, hint }];
}

function clientFaults(access: ServerAccess, { config }: GatewaySubject): readonly Finding[] {
  if (access.client_id !== undefined) return [];
  if (access.client_secret !== undefined)
    return [
      {
        pointer: ['admin', 'access', 'client_secret'],
        message: '`client_secret` without `client_id` belongs to no client',
        hint: 'write `client_id` beside it, or remove `client_secret`',
        atKey: true,
      },
    ];
  const block = config.authorization_servers[access.authorization_server];
  if (block === undefined || block.client_id !== undefined) return [];
  const message = `the console has no client at \`${access.authorization_server}\``;
  return [{ pointer: SERVER, message, hint: 'write `client_id: …` here or in the block of the server' }];
}

/** Scopes of OpenID Connect, which every user may give (OpenID Connect Core §5.4, §11). */
const OF_PEOPLE: ReadonlySet<string> = new Set(['openid', 'profile', 'email', 'address', 'phone', 'offline_access']);

function scopeFaults({ scope, users }: ServerAccess): readonly Finding[] {
  const pointer = ['admin', 'access', 'scope'];
  if (users === undefined && scopeWords(scope).every((word) => OF_PEOPLE.has(word)))
    return [
      {
        pointer,
        message: 'every user of the server can get this scope, so every user may use the admin listener',
        hint: 'add a scope that only operators get, such as gatehouse.admin, or list the operators in `users`',
      },
    ];
  return scopeWords(scope).flatMap((token) => {
    const message = scopeTokenFault(token);
    return message === undefined ? [] : [{ pointer, message }];
  });
}

function unheardFaults({ authorization_server: name }: ServerAccess, { config }: GatewaySubject): readonly Finding[] {
  const block = config.authorization_servers[name];
  if (block === undefined || mayHaveFeed(block) || reportsEnds(block)) return [];
  return [
    {
      pointer: SERVER,
      severity: 'warning',
      message: `the gateway follows no revocation feed of \`${name}\`, so a session ends only when its token expires`,
      hint: 'in the block of the server, write `client_id` and `client_secret` of a client that may read the feed',
    },
  ];
}

/** RFC 7617 §4: anyone who listens on the connection gets the password. */
function passwordFaults(_access: BasicAccess, _subject: GatewaySubject, admin: AdminConfig): readonly Finding[] {
  if (admin.tls !== undefined || isLoopback(admin.host)) return [];
  return [
    {
      pointer: ['admin', 'access', 'basic'],
      message: 'passwords would pass in plain text between machines: the listener has no TLS',
      hint: 'write `tls: { cert, key }` in `admin`, or listen on 127.0.0.1 behind a proxy that has TLS',
      atKey: true,
    },
  ];
}

function userFaults({ basic: { users } }: BasicAccess, { around }: GatewaySubject): readonly Finding[] {
  const pointer = ['admin', 'access', 'basic', 'users'];
  if (typeof users !== 'string') return sharedDatabaseFaults([...pointer, 'storage'], users.storage);
  if (passesOver(users, around, 'secrets')) return [];
  const read = readUserFile(users, around, parseHtpasswd);
  return read.ok ? read.warnings.map(warnedAt(pointer)) : read.faults.map(usersPathOf(pointer));
}
