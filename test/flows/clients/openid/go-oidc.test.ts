import t from 'tap';
import { goPeer } from '../go.ts';
import { openidTests, played } from './story.ts';

/** Builds a program in Go first: a minute on a busy machine. */
t.setTimeout(240_000);

const library = 'github.com/coreos/go-oidc';

openidTests(t, library, () => played(goPeer({ name: 'go-oidc', module: 'go-oidc', library, oldest: 19 })));
