import { HTTPExternalAuthFilter, HTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1';
import { AuthorizationPolicy, RequestAuthentication } from '@kubernetes-models/istio/security.istio.io/v1';
import t from 'tap';
import { parseAllDocuments } from 'yaml';
import { knownOutputs } from '../known-outputs.ts';

// biome-ignore lint/suspicious/noExplicitAny: an object before it is judged
type Objects = any;

/** SecurityPolicy has no schema in npm. `egctl` is its validator. */
const models: Readonly<Record<string, new (data: Objects) => { validate(): void }>> = {
  HTTPRoute,
  ExternalAuth: HTTPExternalAuthFilter,
  AuthorizationPolicy,
  RequestAuthentication,
};

const outputs = knownOutputs().map((output) => ({
  ...output,
  objects: parseAllDocuments(output.text).map((document): Objects => document.toJSON()),
}));

/** The schema of HTTPRoute is that of the standard channel, which does not have ExternalAuth yet. It has its own schema. */
function partsOf(object: Objects): readonly { readonly kind: string; readonly data: Objects }[] {
  const { kind, ...data } = structuredClone(object);
  const filters: Objects[] = [];
  for (const rule of kind === 'HTTPRoute' ? data.spec.rules : []) {
    filters.push(...rule.filters.flatMap(({ externalAuth }: Objects) => externalAuth ?? []));
    rule.filters = rule.filters.filter(({ type }: Objects) => type !== 'ExternalAuth');
  }
  return [{ kind, data }, ...filters.map((each) => ({ kind: 'ExternalAuth', data: each }))];
}

t.test('each object is valid by the schema of its project', async (t) => {
  let judged = 0;
  for (const { title, objects } of outputs) {
    for (const { kind, data } of objects.flatMap(partsOf)) {
      const Model = models[kind];
      if (Model === undefined) continue;
      judged += 1;
      try {
        new Model(data).validate();
      } catch (error) {
        t.fail(`${title}: ${kind}: ${error}`);
      }
    }
  }
  t.ok(outputs.length >= 60, `${outputs.length} outputs`);
  t.comment(`${judged} objects of ${outputs.length} outputs`);
});

t.test('in one output, no two objects of a kind have the same name', async (t) => {
  for (const { title, objects } of outputs) {
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    if (new Set(names).size !== names.length) t.fail(title);
  }
});

t.test('each SecurityPolicy belongs to one HTTPRoute, and refuses by default', async (t) => {
  let count = 0;
  for (const { title, objects } of outputs.filter(({ target }) => target === 'envoy-gateway')) {
    const routes = objects.filter(({ kind }) => kind === 'HTTPRoute').map(({ metadata }) => metadata.name);
    for (const { kind, spec } of objects) {
      if (kind !== 'SecurityPolicy') continue;
      count += 1;
      t.ok(spec.targetRefs.length === 1 && routes.includes(spec.targetRefs[0].name), title);
      t.ok(spec.extAuth?.failOpen === false || spec.authorization?.defaultAction === 'Deny', title);
    }
  }
  t.ok(count > 20);
});

t.test('the same file gives the same text', async (t) => {
  t.strictSame(
    knownOutputs(),
    outputs.map(({ objects: _, ...output }) => output),
  );
});
