import t from 'tap';
import { goPeer } from './go.ts';
import { peerTests } from './peer.ts';

/** Builds a program in Go first: a minute on a busy machine. */
t.setTimeout(240_000);

const library = 'golang.org/x/oauth2';

peerTests(t, library, () => goPeer({ name: 'go-oauth2', module: 'go', library, oldest: 18 }));
