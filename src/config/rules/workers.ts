import type { Finding } from '../words/problem.ts';
import type { Checks } from './checks.ts';
import type { GatewaySubject } from './subject.ts';

/** What several processes do not have together, however they are supervised. */
export const workerChecks: Checks<GatewaySubject> = {
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
