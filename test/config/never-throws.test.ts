// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this
import { readFileSync } from 'node:fs';
import t from 'tap';
import { loadAuthorizationText, loadGatewayText } from '../../src/config/load/load.ts';
import fc from '../support/properties.ts';

/** Many more cases with FUZZ_RUNS: 9 s by default on a busy machine. */
t.setTimeout(600_000);

const example = (name: string) => readFileSync(new URL(`../../config/${name}.yaml`, import.meta.url), 'utf8');
const pieces = [
  '{',
  '}',
  '[',
  ']',
  ': ',
  '\n',
  '\n  ',
  '- ',
  '&a ',
  '*a',
  '<<: ',
  '"',
  "'",
  '${',
  '${A}',
  '!x ',
  '\t',
  '#',
  '|',
  '__proto__: ',
  'null',
  '\0',
  '\u2028',
  '€',
  '---\n',
];

/** An example file with some pieces removed, doubled or replaced by characters with a meaning in YAML. */
const mangled = (text: string) =>
  fc
    .array(fc.tuple(fc.nat(text.length), fc.nat(40), fc.constantFrom('', ...pieces)), { minLength: 1, maxLength: 4 })
    .map((cuts) =>
      cuts.reduce((rest, [at, length, piece]) => rest.slice(0, at) + piece + rest.slice(at + length), text),
    );

for (const name of ['gateway', 'authorization']) {
  const load = name === 'gateway' ? loadGatewayText : loadAuthorizationText;

  t.test(`${name}.yaml with random damage loads or gets problems, and never throws`, async () => {
    fc.assert(
      fc.property(mangled(example(name)), (text) => {
        const loaded = load(text, { env: { A: 'x', GATEWAY_SECRET: 'hunter2' } });
        if (loaded.ok) return true;
        const lines = text.split(/\r\n|[\n\r]/).length;
        const isPlaced = loaded.problems.every(({ line, column }) => line >= 1 && line <= lines && column >= 1);
        return loaded.problems.length > 0 && isPlaced && !JSON.stringify(loaded.problems).includes('hunter2');
      }),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 60) },
    );
  });

  t.test(`${name}.yaml with random values gets problems, and never throws`, async () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 5 }),
        fc.dictionary(
          fc.constantFrom('version', 'routes', 'clients', 'upstreams', 'limits', 'issuer', 'scopes', 'admin'),
          fc.jsonValue(),
        ),
        (value, top) => {
          return [load(JSON.stringify(value)), load(JSON.stringify(top))].every(
            (loaded) => loaded.ok || loaded.problems.length > 0,
          );
        },
      ),
    );
  });
}
