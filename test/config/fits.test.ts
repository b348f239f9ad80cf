import { readFileSync } from 'node:fs';
import t from 'tap';
import { parse } from 'yaml';
import { AuthorizationSchema } from '../../src/config/authorization.ts';
import { fits } from '../../src/config/fits.ts';
import { GatewaySchema } from '../../src/config/gateway.ts';
import { inputSchema, type Schema } from '../../src/config/input-schema.ts';
import { compile } from '../../src/config/validate.ts';
import fc, { tries } from '../support/properties.ts';

const files = {
  gateway: GatewaySchema as unknown as Schema,
  authorization: AuthorizationSchema as unknown as Schema,
};

type Place = readonly (string | number)[];

/** What a value becomes, or goes with. */
const changes = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    'none',
    '10s',
    '1MiB',
    '127.0.0.1:80',
    '[::1]:99999',
    0,
    -1,
    0.5,
    70_000,
    true,
    {},
    [],
  ),
  fc.string({ unit: 'binary' }),
  fc.constantFrom<unknown>(Number.NaN, Number.POSITIVE_INFINITY, [''], { '': 1 }, { constructor: {} }, 'ab'.repeat(9)),
);

for (const [name, schema] of Object.entries(files)) {
  const input = inputSchema(schema);
  const judge = compile(input);
  const example = parse(readFileSync(new URL(`../../config/${name}.yaml`, import.meta.url), 'utf8'));

  t.test(`${name}: a file is taken as sound exactly where ajv finds nothing`, async (t) => {
    t.ok(fits(input, example) && judge(example), 'the example');
    const places = placesIn(example);
    let refused = 0;
    const rule = fc.property(
      fc.constantFrom(...places),
      changes,
      fc.constantFrom('set', 'drop', 'add'),
      (...change) => {
        const changed = structuredClone(example);
        apply(changed, ...change);
        if (!judge(changed)) refused++;
        return fits(input, changed) === judge(changed);
      },
    );
    fc.assert(rule, tries(3000, 10_000));
    t.ok(refused > 300, `${refused} were refused`);
  });
}

t.test('a keyword that nothing judges by is a mistake of ours, not a file that is taken', async (t) => {
  t.throws(() => fits({ maxItems: 1 } as Schema, []), TypeError);
  t.throws(() => fits({ constructor: 1 } as unknown as Schema, []), TypeError);
});

function placesIn(value: unknown, place: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [place];
  const below = Object.entries(value).flatMap(([key, each]) => placesIn(each, [...place, key]));
  return place.length === 0 ? below : [place, ...below];
}

/** At a place, or one beside it. */
function apply(root: object, place: Place, value: unknown, how: string): void {
  const holder = place.slice(0, -1).reduce((at, key) => at[key as never], root) as Record<string, unknown> | unknown[];
  const key = place.at(-1) as string;
  if (Array.isArray(holder)) holder.splice(Number(key), how === 'add' ? 0 : 1, ...(how === 'drop' ? [] : [value]));
  else if (how === 'drop') delete holder[key];
  else holder[how === 'add' ? `${key}2` : key] = value;
}
