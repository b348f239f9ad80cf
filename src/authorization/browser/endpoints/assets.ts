import type { Endpoint } from '../../http/endpoint.ts';
import { type Asset, assetHeaders } from '../../pages/pages.ts';
import { redirect } from '../authorization-response.ts';
import type { HostedSite } from '../site.ts';

/** The name of an asset contains a hash of its content, so browsers may cache the asset forever. */
export function assetEndpoints({ assets, icon }: HostedSite): readonly Endpoint[] {
  return [...assets.map(endpointOf), favicon(icon)];
}

function endpointOf({ path, body, type }: Asset): Endpoint {
  return {
    name: 'assets',
    method: 'GET',
    absolutePaths: [path],
    handle: (_request, reply) =>
      reply
        .removeHeader('pragma')
        .headers({ ...assetHeaders, 'content-type': type })
        .send(body),
  };
}

/** Browsers request this address for documents that name no icon, such as JSON. */
function favicon({ path }: Asset): Endpoint {
  return {
    name: 'assets',
    method: 'GET',
    absolutePaths: ['/favicon.ico'],
    handle: async (_request, reply) => redirect(reply, path),
  };
}
