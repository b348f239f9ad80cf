import t from 'tap';
import { goPeer } from './go.ts';
import { openidTests, played } from './openid/story.ts';
import { peerTests } from './peer.ts';

/** Builds two programs in Go first: a minute on a busy machine. In one file, since the second build needs the first one's cache. */
t.setTimeout(240_000);

const oauth2 = { name: 'go-oauth2', module: 'go-oauth2', library: 'golang.org/x/oauth2', oldest: 18 };
const oidc = { name: 'go-oidc', module: 'go-oidc', library: 'github.com/coreos/go-oidc', oldest: 19 };

peerTests(t, oauth2.library, () => goPeer(oauth2));
openidTests(t, oidc.library, () => played(goPeer(oidc)));
