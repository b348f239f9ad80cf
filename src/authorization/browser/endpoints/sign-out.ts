import { pageHeaders, signedOutPage } from '../../pages/pages.ts';
import { redirect } from '../authorization-response.ts';
import { readCsrfFormOfUser } from '../csrf-form.ts';
import { type PageContext, type PageEndpoint, pagePaths } from '../page-context.ts';
import { findSignedInUser, signOut } from '../signed-in-user.ts';
import { readDone } from '../took-effect.ts';

/** The account page has the button. This page tells users that they are signed out. */
export function signOutEndpoints(front: PageContext): readonly PageEndpoint[] {
  const { account: signIn, signOut: self } = front.paths;
  const row = { name: 'sign_out', paths: [pagePaths.signOut] } as const;
  return [
    {
      ...row,
      method: 'GET',
      async handle(request, reply) {
        if ((await findSignedInUser(front, request)) !== undefined) return redirect(reply, signIn);
        const done = readDone(request, ['everywhere'], front.service.clock);
        return reply.headers(pageHeaders()).send(
          signedOutPage(front.siteFor(request), {
            signIn,
            clients: front.service.config.openid.enabled,
            ...(done && { everywhere: done }),
          }),
        );
      },
    },
    {
      ...row,
      method: 'POST',
      async handle(request, reply) {
        const { visitor } = await readCsrfFormOfUser(front, request, 'account');
        await signOut(front, visitor, { request, reply });
        return redirect(reply, self);
      },
    },
  ];
}
