import type { AuthorizationFile } from '../schema/authorization.ts';
import { parseClientUrlPattern } from '../words/client-url.ts';
import { countedWindowFaults } from '../words/counted-window.ts';
import type { Finding, Pointer } from '../words/problem.ts';
import { REGISTRATION_SCOPE } from '../words/registration-scope.ts';
import type { Checks } from './checks.ts';
import { knownScopes, scopeFaults } from './client-scope.ts';
import type { AuthorizationSubject } from './subject.ts';
import { tlsFileFaults } from './tls-files.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const KIBIBYTE = 1024;

const documents = ['registration', 'cimd'] as const;
const dynamic = ['registration', 'dynamic'] as const;

/** Rules for clients that register themselves. */
export const registrationChecks: Checks<AuthorizationSubject> = {
  'addresses of metadata documents': ({ config }) =>
    config.registration.cimd.allow.flatMap((text, index): Finding[] => {
      if (parseClientUrlPattern(text) !== undefined) return [];
      const hint = 'such as https://*, https://*.example.com or https://app.example.com/client.json';
      return [{ pointer: [...documents, 'allow', index], message: `\`${text}\` is not a pattern of URLs`, hint }];
    }),
  'lifetime of metadata documents': ({ config }) => lifetimeFaults(config.registration.cimd),
  'size of metadata documents': ({ config }) => sizeFaults(config.registration.cimd),
  'private addresses of metadata documents': ({ config }) => privateFaults(config),
  'scope of clients that register themselves': ({ config }) => [
    ...ownScopeFaults(config, documents, config.registration.cimd),
    ...ownScopeFaults(config, dynamic, config.registration.dynamic),
  ],
  'initial access tokens': ({ config }) => initialTokenFaults(config),
  'unused registrations': ({ config }) => {
    if (config.registration.dynamic.ttl_unused >= 60 * MINUTE) return [];
    const message = 'a client that is removed so soon cannot finish its first login';
    return [{ pointer: [...dynamic, 'ttl_unused'], message, hint: 'write 1h or more' }];
  },
  'window of registrations': ({ config }) =>
    countedWindowFaults([...dynamic, 'per_address', 'per'], config.registration.dynamic.per_address.per),
  'authorities of clients': ({ config, around }) => tlsFileFaults(['outbound', 'tls'], config.outbound.tls, around),
};

type Documents = AuthorizationFile['registration']['cimd'];

/** A shorter time would make every login wait for the host of the client. */
function lifetimeFaults({ ttl, max_ttl, timeout }: Documents): readonly Finding[] {
  const short = 'the service keeps a document for at least five minutes';
  return [
    ...(ttl < 5 * MINUTE ? [{ pointer: [...documents, 'ttl'], message: short, hint: 'write 5m or more' }] : []),
    ...(max_ttl < ttl
      ? [{ pointer: [...documents, 'max_ttl'], message: '`max_ttl` is shorter than `ttl`', hint: 'write 24h' }]
      : []),
    ...(timeout < SECOND / 10 || timeout > MINUTE
      ? [
          {
            pointer: [...documents, 'timeout'],
            message: 'this time must be from 100ms to 1m, because a user waits for the document',
            hint: 'write 5s',
          },
        ]
      : []),
  ];
}

function sizeFaults({ size }: Documents): readonly Finding[] {
  if (size >= KIBIBYTE && size <= 64 * KIBIBYTE) return [];
  const message = 'this limit must be from 1KiB to 64KiB';
  return [{ pointer: [...documents, 'size'], message, hint: 'write 5KiB' }];
}

function privateFaults({ registration, outbound }: AuthorizationFile): readonly Finding[] {
  const { enabled, private_addresses } = registration.cimd;
  if (!enabled || private_addresses === 'deny') return [];
  const pointer = [...documents, 'private_addresses'];
  if (outbound.private_addresses.length === 0)
    return [
      {
        pointer,
        severity: 'warning',
        message: '`outbound.private_addresses` is empty, so this has no effect',
        hint: 'remove this',
      },
    ];
  const message = 'strangers can make the service send requests to `outbound.private_addresses`';
  return [{ pointer, severity: 'warning', message, hint: 'list only trusted hosts in `allow`' }];
}

interface Granting {
  readonly enabled: boolean;
  readonly scope?: string;
}

function ownScopeFaults(config: AuthorizationFile, at: Pointer, { enabled, scope }: Granting): readonly Finding[] {
  if (scope === undefined) return enabled ? [withoutScope(at)] : [];
  const pointer = [...at, 'scope'];
  if (scope.split(' ').includes(REGISTRATION_SCOPE)) {
    const message = `a client that registers itself must not have \`${REGISTRATION_SCOPE}\`, because it could then register others`;
    return [{ pointer, message, hint: 'remove it' }];
  }
  return scopeFaults(pointer, scope, knownScopes(config));
}

function withoutScope(at: Pointer): Finding {
  const message = 'without `scope`, clients that register themselves can request no scope, so they get no tokens';
  return { pointer: [...at, 'enabled'], severity: 'warning', message, hint: 'write `scope: …` beside it' };
}

function initialTokenFaults({ registration, scopes }: AuthorizationFile): readonly Finding[] {
  const { enabled, initial_access_token: mode } = registration.dynamic;
  if (!enabled) return [];
  const pointer = [...dynamic, 'initial_access_token'];
  if (mode === 'none') {
    const message = 'anyone may register a client';
    return [{ pointer, severity: 'warning', message, hint: 'write `required`, if your clients can send a token' }];
  }
  if (Object.hasOwn(scopes, REGISTRATION_SCOPE)) return [];
  const message = `no client can get an initial access token: \`scopes\` has no \`${REGISTRATION_SCOPE}\``;
  const hint = `write \`${REGISTRATION_SCOPE}: Register clients\` in \`scopes\`, and give this scope to a client`;
  return [{ pointer, message, hint }];
}
