import type { RouteFile } from '../schema/gateway.ts';
import { trustedFaults } from '../schema/trusted-proxies.ts';
import type { Finding, Pointer } from '../words/problem.ts';
import { secretKeyFaults } from '../words/secret-key.ts';
import { webOriginFault } from '../words/web-origin.ts';
import type { Checks, Member } from './checks.ts';
import type { GatewaySubject } from './subject.ts';

/** Rules for the gateway's surroundings: pages of other origins, proxies in front, and the protected resource. */
export const edgeChecks: Checks<GatewaySubject> = {
  'trusted proxies': ({ config }) => trustedFaults(config.trusted_proxies),
  'resource identifier': ({ config, routes }) => [
    ...resourceFault(['resource'], config.resource),
    ...routes.flatMap(({ at, value }) => resourceFault([...at, 'resource'], value.resource)),
  ],
  'ticket keys': ({ config }) =>
    (config.ticket_keys ?? []).flatMap((key, index) => secretKeyFaults(['ticket_keys', index], key)),
  'session keys': ({ config }) =>
    (config.session_keys ?? []).flatMap((key, index) => secretKeyFaults(['session_keys', index], key)),
  'nonce keys': ({ config }) =>
    (config.nonce_keys ?? []).flatMap((key, index) => secretKeyFaults(['nonce_keys', index], key)),
  'origins of other pages': ({ config }) => config.cors?.origins.flatMap(originFault) ?? [],
  'origins of a route': ({ routes }) => routes.flatMap(originsOfRoute),
  'any origin with credentials': ({ config }) =>
    config.cors?.credentials && config.cors.origins.includes('*')
      ? [
          {
            pointer: ['cors', 'credentials'],
            message: 'with the origin `*`, pages must not send cookies',
            hint: 'name the origins',
          },
        ]
      : [],
  'shadow without an upstream': ({ config }) =>
    config.mode === 'shadow' && config.defaults.upstream === undefined
      ? [
          {
            pointer: ['mode'],
            severity: 'warning',
            message: 'even in shadow mode, the gateway refuses requests that match no route',
            hint: 'set `defaults.upstream`, and such requests go there',
          },
        ]
      : [],
};

/** RFC 9728 §1.2: an https URL without fragment. http is accepted only for local tests. */
function resourceFault(pointer: Pointer, text: string | undefined): readonly Finding[] {
  if (text === undefined) return [];
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const sound = url !== undefined && /^https?:$/.test(url.protocol) && url.hash === '' && url.username === '';
  return sound
    ? []
    : [
        {
          pointer,
          message: `\`${text}\` is not a resource identifier`,
          hint: 'write an https URL without a fragment (RFC 9728 §1.2)',
        },
      ];
}

function originFault(text: string, index: number): readonly Finding[] {
  const sound = text === '*' || (URL.canParse(text) && new URL(text).origin === text.toLowerCase());
  if (sound) return [];
  return [
    {
      pointer: ['cors', 'origins', index],
      message: `\`${text}\` is not an origin`,
      hint: 'scheme://host[:port], with no path and no slash at the end',
    },
  ];
}

function originsOfRoute({ at, value: { origins, mcp } }: Member<RouteFile>): readonly Finding[] {
  const pointer = [...at, 'mcp', 'origins'];
  const twice = origins !== undefined && mcp?.origins !== undefined;
  const hint = 'remove one of them';
  return [
    ...originFaults([...at, 'origins'], origins),
    ...originFaults(pointer, mcp?.origins),
    ...(twice
      ? [{ pointer, message: 'the route already has `origins`, so `mcp.origins` is a second list', hint, atKey: true }]
      : []),
  ];
}

function originFaults(at: Pointer, origins: readonly string[] = []): readonly Finding[] {
  const texts = origins.map((text) => text.toLowerCase());
  return origins.flatMap((text, index): Finding[] => {
    const pointer = [...at, index];
    const fault = webOriginFault(text);
    if (fault !== undefined) return [{ pointer, ...fault }];
    return texts.indexOf(text.toLowerCase()) === index ? [] : [{ pointer, message: `\`${text}\` occurs twice` }];
  });
}
