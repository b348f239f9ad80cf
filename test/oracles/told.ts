import type { Ask, Field } from './asker.ts';

/** A way in which a proxy asks the decision endpoint about a request that it then forwards unchanged. */
export interface Telling {
  readonly name: string;
  /** The target in its decision request. */
  readonly target: (ask: Ask) => string;
  readonly fields: (ask: Ask) => readonly Field[];
}

const method = ['X-Original-Method', 'GET'] as const;

export const tellings: readonly Telling[] = [
  {
    name: '/nginx',
    target: () => '/nginx',
    // As ingress-nginx writes it: $scheme://$http_host$request_uri.
    fields: ({ host, target }) => [['Host', '127.0.0.1'], method, ['X-Original-URL', `http://${host}${target}`]],
  },
  {
    name: '/nginx/uri',
    target: () => '/nginx/uri',
    fields: ({ host, target }) => [['Host', host], method, ['X-Original-URI', target]],
  },
  {
    name: '/forward-auth',
    target: () => '/forward-auth',
    fields: ({ host, target }) => [
      ['Host', '127.0.0.1'],
      ['X-Forwarded-Method', 'GET'],
      ['X-Forwarded-Host', host],
      ['X-Forwarded-Uri', target],
    ],
  },
  {
    name: '/envoy',
    target: ({ target }) => `/envoy${target}`,
    fields: ({ host }) => [['Host', host]],
  },
];

/** `Host` values of clients that want the path to begin where the host ends. */
export const brokenHosts: readonly string[] = [
  'api.example.com:80?',
  'api.example.com?',
  'api.example.com:80?/v1/status?',
  'api.example.com#',
  'api.example.com:80#x',
  'api.example.com:',
  'api.example.com:80;',
  'api.example.com:80*',
  'api.example.com:80\\',
  'api.example.com:80%3F',
  'a@api.example.com',
  'api.example.com,',
];
