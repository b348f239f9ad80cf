import type { AuthorizationFile } from '../schema/authorization.ts';
import { trustedFaults } from '../schema/trusted-proxies.ts';
import { countedWindowFaults } from '../words/counted-window.ts';
import { isLoopback } from '../words/host.ts';
import type { Finding, Pointer } from '../words/problem.ts';
import { scopeTokenFault } from '../words/scope-words.ts';
import { issuerFaults, parseUrl } from '../words/url-rules.ts';
import { type Checks, runChecks, type Surroundings } from './checks.ts';
import { clientAuthChecks } from './client-auth.ts';
import { clientChecks } from './clients.ts';
import { countersFaults } from './counters.ts';
import { grantChecks } from './grants.ts';
import { keyChecks } from './keys.ts';
import { listenerFaults } from './listeners.ts';
import { openidChecks } from './openid.ts';
import { pageChecks } from './pages.ts';
import { registrationChecks } from './registration.ts';
import { securityEventChecks } from './security-events.ts';
import { type AuthorizationSubject, authorizationSubject } from './subject.ts';
import { timerFaults } from './timers.ts';
import { tokenChecks } from './tokens.ts';
import { userKeyChecks } from './user-keys.ts';
import { userChecks } from './users.ts';

/** All rules of authorization.yaml that a schema cannot express. */
export const authorizationChecks: Checks<AuthorizationSubject> = {
  listeners: ({ config }) => listenerFaults(config),
  'longest wait': ({ config }) => timerFaults(['shutdown'], config.shutdown),
  'trusted proxies': ({ config }) => trustedFaults(config.trusted_proxies),
  counters: ({ config, around }) => countersFaults(config.counters, around),
  'window of wrong secrets': ({ config }) => countedWindowFaults(['login', 'window'], config.login.window),
  issuer: ({ config }) => issuerFaults(['issuer'], config.issuer, config.development),
  'issuer elsewhere': ({ config }) => issuerElsewhere(config),
  resources: ({ config }) =>
    config.resources.flatMap((resource, index) => resourceFaults(['resources', index], resource)),
  scopes: ({ config }) => Object.keys(config.scopes).flatMap(scopeFaults),
  ...keyChecks,
  ...userKeyChecks,
  ...tokenChecks,
  ...clientChecks,
  ...clientAuthChecks,
  ...grantChecks,
  ...userChecks,
  ...openidChecks,
  ...registrationChecks,
  ...securityEventChecks,
  ...pageChecks,
};

export function checkAuthorization(
  config: AuthorizationFile,
  _left: readonly Pointer[],
  around: Surroundings,
): readonly Finding[] {
  return runChecks(authorizationChecks, authorizationSubject(config, around));
}

/** An issuer on this machine is this service itself, except behind a proxy. */
function issuerElsewhere({ issuer, listen }: AuthorizationFile): readonly Finding[] {
  const url = parseUrl(issuer);
  if (url === undefined || url.protocol !== 'http:' || !isLoopback(url.hostname)) return [];
  if (listen.port === 0 || Number(url.port || 80) === listen.port) return [];
  return [
    {
      pointer: ['issuer'],
      severity: 'warning',
      message: `the URL of the issuer names port ${url.port || 80} of this machine, but the service listens at port ${listen.port}`,
      hint: `write \`listen: 127.0.0.1:${url.port || 80}\`, unless a proxy is in front`,
    },
  ];
}

/** RFC 8707 §2: an absolute URI without a fragment. */
function resourceFaults(pointer: Pointer, resource: string): readonly Finding[] {
  if (parseUrl(resource) === undefined)
    return [
      {
        pointer,
        message: `\`${resource}\` is not an absolute URI (RFC 8707 §2)`,
        hint: 'write the whole URI: https://api.example.com',
      },
    ];
  return resource.includes('#')
    ? [
        {
          pointer,
          message: 'a resource must not have a fragment (RFC 8707 §2)',
          hint: 'leave out `#` and what follows',
        },
      ]
    : [];
}

function scopeFaults(scope: string): readonly Finding[] {
  const message = scopeTokenFault(scope);
  return message === undefined ? [] : [{ pointer: ['scopes', scope], message, atKey: true }];
}
