import { OAuthError } from '../../../oauth/errors.ts';
import { prefersHtml } from '../../http/accept.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { redirect } from '../authorization-response.ts';
import type { PageContext } from '../page-context.ts';

/** The address of the issuer itself. It leads people to their account, and tells programs that nothing is here. */
export function homeEndpoint({ paths, service }: PageContext): Endpoint {
  const { pathname } = new URL(service.config.issuer);
  const bare = pathname.replace(/\/$/, '');
  return {
    name: 'home',
    method: 'GET',
    absolutePaths: [`${bare}/`, ...(bare === '' ? [] : [bare])],
    async handle({ headers }, reply) {
      if (!prefersHtml(headers.accept)) throw new OAuthError('not_found');
      return redirect(reply.header('vary', 'Accept'), paths.account);
    },
  };
}
