import t from 'tap';
import { parseAllDocuments, stringify } from 'yaml';
import { knownOutputs } from '../gateway/compile/known-outputs.ts';
import { skipWithoutPeer } from '../support/peer-place.ts';
import { istioVerdicts, peer } from './support/istio.ts';

/** Compiles hundreds of files. */
t.setTimeout(300_000);

t.test(
  "Istio's own validators accept every policy that the compiler writes",
  { skip: skipWithoutPeer(peer) },
  async (t) => {
    const written = knownOutputs().filter(({ target }) => target === 'istio');
    const policies = written.flatMap(({ title, text }) =>
      parseAllDocuments(text).flatMap((document) => {
        const object = document.toJS();
        return /istio\.io\//.test(object?.apiVersion ?? '') ? [{ title, text: stringify(object) }] : [];
      }),
    );
    const verdicts = istioVerdicts(policies.map(({ text }) => text).join('---\n'));
    t.equal(verdicts.length, policies.length);
    t.ok(policies.length > 100, `${policies.length} policies`);
    for (const [index, { kind, name, errors, warnings }] of verdicts.entries())
      t.strictSame([errors, warnings], [[], []], `${policies[index]?.title}: ${kind} ${name}`);
    t.comment(`${policies.length} policies of ${written.length} outputs`);
  },
);
