import type { Finding } from '../words/problem.ts';
import type { Checks } from './checks.ts';
import type { GatewaySubject } from './subject.ts';

/** Rules for limits that several processes cannot share. */
export const workerChecks: Checks<GatewaySubject> = {
  'fewer connections than workers': ({ upstreams, config: { workers } }) =>
    upstreams.flatMap(({ at, value }): Finding[] => {
      if (workers === 'auto' || value.max_connections >= workers) return [];
      return [
        {
          pointer: [...at, 'max_connections'],
          severity: 'warning',
          message: `each of the ${workers} workers may open one connection, so the upstream may get ${workers} connections instead of ${value.max_connections}`,
          hint: 'if the upstream must not get more connections than `max_connections`, write `workers: 1`',
        },
      ];
    }),
};
