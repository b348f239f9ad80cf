import t from 'tap';
import { skipWithoutPeer } from '../support/peer-place.ts';
import { faultsOf } from './support/compiled-envoy.ts';
import { compiledInEachWay, knownFiles } from './support/known-files.ts';

/** Envoy reads some hundred files. */
t.setTimeout(300_000);

const options = { skip: skipWithoutPeer('envoy-1.40.0') };

t.test('Envoy accepts what the compiler writes for the files of the documentation, with no warning', options, (t) => {
  const compiled = knownFiles().map(compiledInEachWay);
  const written = compiled.flat();
  for (const { title, text } of written) t.equal(faultsOf(t, text), '', title);
  const files = compiled.filter((each) => each.length > 0);
  const distinct = new Set(files.map(([first]) => first?.source));
  t.ok(distinct.size >= 40, `${distinct.size} files that differ`);
  const downstream = written.filter(({ text }) => text.includes('DownstreamTlsContext'));
  const upstream = written.filter(({ text }) => /trusted_ca:\n *filename: \S+other-authority\.crt/.test(text));
  t.ok(downstream.length > 0 && upstream.length > 0, `${downstream.length} listeners and ${upstream.length} with TLS`);
  t.comment(`${written.length} configurations of ${distinct.size} files, ${downstream.length} of them with TLS`);
  t.end();
});
