import type { Checks } from './checks.ts';
import type { Finding } from './problem.ts';
import type { GatewaySubject } from './subject.ts';

/** What several processes do not have together, however they are supervised. */
export const workerChecks: Checks<GatewaySubject> = {
  'sessions of Digest in several workers': ({ routes, config }) =>
    config.workers === 1
      ? []
      : routes.flatMap(({ at, value }): Finding[] => {
          const session = value.digest?.algorithms.find((name) => name.endsWith('-sess'));
          if (session === undefined) return [];
          return [
            {
              pointer: [...at, 'digest', 'algorithms'],
              severity: 'warning',
              message: `with several \`workers\` no session of ${session} lasts longer than a request`,
              hint: 'clients that send a new cnonce with each request, as most do, see no difference; others need `workers: 1`',
            },
          ];
        }),
  'fewer connections than workers': ({ upstreams, config: { workers } }) =>
    upstreams.flatMap(({ at, value }): Finding[] => {
      if (workers === 'auto' || value.max_connections >= workers) return [];
      return [
        {
          pointer: [...at, 'max_connections'],
          severity: 'warning',
          message: `each of the ${workers} workers has a connection of its own, so there may be ${workers}`,
          hint: 'where the upstream takes no more than it says here, write `workers: 1`',
        },
      ];
    }),
};
