import { type Changes, configuration } from '../../../authorization/running-service.ts';
import { tlsFile } from '../../../support/tls-file.ts';

/** Settings of a service at which strangers may register, or describe themselves by a document on this machine. */
export function openService(scope: string): Changes {
  const before = configuration();
  const { dynamic, cimd } = before.registration;
  return {
    outbound: {
      ...before.outbound,
      private_addresses: ['127.0.0.0/8', '::1'],
      tls: { ca: tlsFile('authority.crt') },
    },
    registration: {
      cimd: { ...cimd, enabled: true, scope, private_addresses: 'outbound' },
      dynamic: { ...dynamic, enabled: true, initial_access_token: 'none', scope },
    },
  };
}
