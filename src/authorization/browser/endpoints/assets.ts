import type { Endpoint } from '../../http/endpoint.ts';
import { assetHeaders } from '../../pages/pages.ts';
import type { HostedSite } from '../site.ts';

/** The name of an asset contains a hash of its content, so browsers may cache the asset forever. */
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
