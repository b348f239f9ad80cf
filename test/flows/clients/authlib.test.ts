import t from 'tap';
import { openidTests, played } from './openid/story.ts';
import { peerTests } from './peer.ts';
import { pythonPeer } from './python.ts';

/** Installs a Python library first: half a minute and more on a busy machine. */
t.setTimeout(240_000);

const authlib = (script: string) =>
  pythonPeer(
    { name: 'authlib', requirements: 'authlib-requirements.txt', script },
    { AUTHLIB_INSECURE_TRANSPORT: '1' },
  );

peerTests(t, 'Authlib', () => authlib('authlib_client.py'), { 'other state': 'mismatching_state' });
openidTests(t, 'Authlib', () => played(authlib('authlib_openid.py')));
