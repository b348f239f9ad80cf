import t from 'tap';
import { pythonPeer } from '../python.ts';
import { withSecret } from './site.ts';
import { openidTests, played } from './story.ts';

/** Installs a library for Python first: half a minute and more on a busy machine. */
t.setTimeout(240_000);

const idpyoidc = { name: 'idpyoidc', requirements: 'idpyoidc-requirements.txt', script: 'idpyoidc_client.py' };

// The library has no public clients.
openidTests(t, 'idpyoidc', () => played(pythonPeer(idpyoidc)), withSecret);
