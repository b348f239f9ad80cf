import type { FastifyRequest } from 'fastify';
import { addressBlocks } from '../../counters/throttle.ts';
import { OAuthError } from '../../oauth/errors.ts';
import type { Service } from '../service/service.ts';

/** All addresses together have the limit of one address, multiplied by this number. It bounds the growth of the store. */
const ADDRESSES = 100;

/** Counts one more registration. Runs after the metadata were judged, so a mistake costs nothing. */
export async function limitRegistrations(service: Service, caller: Pick<FastifyRequest, 'ip' | 'id'>): Promise<void> {
  const { requests, per: window } = service.config.registration.dynamic.per_address;
  const counted = [
    ...addressBlocks(caller.ip).map(({ block, times }) => [`${block.length}:${block}`, times] as const),
    ['all', ADDRESSES] as const,
  ];
  for (const [whom, times] of counted) {
    const wait = await service.counters.take(`registering\n${whom}`, { requests: requests * times, window });
    if (wait > 0) throw tooMany(service, caller, wait);
  }
}

/** Requests of one client to its own registration in a minute. */
const MANAGED = { requests: 60, window: 60_000 } as const;

/** Runs after the token was judged, so that no one else can use up the limit. */
export async function limitManagement(
  service: Service,
  id: string,
  caller: Pick<FastifyRequest, 'ip' | 'id'>,
): Promise<void> {
  const wait = await service.counters.take(`managing\n${id}`, MANAGED);
  if (wait > 0) throw tooMany(service, caller, wait);
}

function tooMany({ audit }: Service, { ip, id }: Pick<FastifyRequest, 'ip' | 'id'>, wait: number): OAuthError {
  audit.count('registration_limited', { address: ip, request_id: id });
  return new OAuthError('too_many_registrations', { headers: { 'retry-after': String(Math.ceil(wait / 1000)) } });
}
