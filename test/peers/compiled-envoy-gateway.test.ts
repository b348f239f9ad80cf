import t from 'tap';
import { parseAllDocuments, stringify } from 'yaml';
import { knownOutputs } from '../gateway/compile/known-outputs.ts';
import { skipWithoutPeer } from '../support/peer-place.ts';
import { parentRef, peer, translate } from './support/envoy-gateway.ts';

/** Envoy Gateway translates two hundred outputs. */
t.setTimeout(600_000);

const namespace = 'shop';

// biome-ignore lint/suspicious/noExplicitAny: objects of Kubernetes
type Value = any;

/** The Gateway of the test has another name. */
function atGateway({ kind, spec }: Value): Value {
  if (kind === 'HTTPRoute') return { ...spec, parentRefs: [parentRef] };
  if (kind !== 'ClientTrafficPolicy') return spec;
  return { ...spec, targetRefs: spec.targetRefs.map((each: Value) => ({ ...each, ...parentRef })) };
}

/** In one namespace, at the Gateway of the test. */
function placed(text: string): readonly Value[] {
  return parseAllDocuments(text).flatMap((document) => {
    const object = document.toJS() as Value;
    if (object === null) return [];
    return [{ ...object, metadata: { ...object.metadata, namespace }, spec: atGateway(object) }];
  });
}

/** Every Service that an object names, with its port. */
function servicesIn(value: Value): readonly (readonly [name: string, port: number])[] {
  if (value === null || typeof value !== 'object') return [];
  const own = Array.isArray(value.backendRefs) ? value.backendRefs : [];
  return [...own.map(({ name, port }: Value) => [name, port] as const), ...Object.values(value).flatMap(servicesIn)];
}

t.test(
  'Envoy Gateway accepts every route and policy that the compiler writes',
  { skip: skipWithoutPeer(peer) },
  async (t) => {
    const written = knownOutputs().filter(({ target }) => target === 'envoy-gateway');
    const distinct = new Map(written.map(({ title, text }) => [text.replace(/^ *#.*\n/gm, ''), title]));
    const policies: number[] = [];
    for (const [text, title] of distinct) {
      const objects = placed(text);
      if (objects.length === 0) continue;
      const services = Object.fromEntries(
        servicesIn(objects).map(([name, port]) => [name, { port, at: '127.0.0.1:9' }]),
      );
      const yaml = objects.map((each) => stringify(each, { aliasDuplicateObjects: false })).join('---\n');
      try {
        t.ok(translate(t, yaml, { namespace, services }).listeners.length > 0, title);
      } catch (error) {
        t.fail(`${title}: ${(error as Error).message}`);
      }
      policies.push(objects.filter(({ kind }) => kind === 'SecurityPolicy').length);
    }
    const count = policies.reduce((sum, each) => sum + each, 0);
    t.ok(count > 20, `${count} policies`);
    t.comment(`${count} policies in ${policies.length} outputs`);
  },
);
