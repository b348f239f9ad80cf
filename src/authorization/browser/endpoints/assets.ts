import type { Endpoint } from '../../http/endpoint.ts';
import { assetHeaders } from '../../pages/pages.ts';
import type { HostedSite } from '../site.ts';

/** Their names carry a hash of what they hold, so they may be kept for ever. */
export function assetEndpoints({ assets }: HostedSite): readonly Endpoint[] {
  return assets.map(({ path, body, type }) => ({
    name: 'assets',
    method: 'GET',
    absolutePaths: [path],
    handle: (_request, reply) =>
      reply
        .removeHeader('pragma')
        .headers({ ...assetHeaders, 'content-type': type })
        .send(body),
  }));
}
