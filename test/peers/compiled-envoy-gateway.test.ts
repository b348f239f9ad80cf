import t from 'tap';
import { knownOutputs } from '../gateway/compile/known-outputs.ts';
import { skipWithoutPeer } from '../support/peer-place.ts';
import { asText, peer, placed, translate } from './support/envoy-gateway.ts';

/** Envoy Gateway translates two hundred outputs. */
t.setTimeout(600_000);

const namespace = 'shop';

// biome-ignore lint/suspicious/noExplicitAny: objects of Kubernetes
type Value = any;

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
      const objects = placed(text, namespace);
      if (objects.length === 0) continue;
      const services = Object.fromEntries(
        servicesIn(objects).map(([name, port]) => [name, { port, at: '127.0.0.1:9' }]),
      );
      try {
        t.ok(translate(t, asText(objects), { namespace, services }).listeners.length > 0, title);
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
