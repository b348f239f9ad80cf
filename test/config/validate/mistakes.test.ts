import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { Ajv } from 'ajv';
import t from 'tap';
import { parse } from 'yaml';
import { AuthorizationSchema } from '../../../src/config/schema/authorization.ts';
import { GatewaySchema } from '../../../src/config/schema/gateway.ts';
import { inputSchema, type Schema } from '../../../src/config/schema/input-schema.ts';
import { convert } from '../../../src/config/schema/units.ts';
import { buildJudge, type Mistake } from '../../../src/config/validate/mistakes.ts';
import fc, { tries } from '../../support/properties.ts';

/** Ten thousand files for each schema, judged twice: 31 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

const files = {
  gateway: GatewaySchema as unknown as Schema,
  authorization: AuthorizationSchema as unknown as Schema,
};

/** An implementation of JSON Schema that Gatehouse does not use. */
const ajv = new Ajv({ allErrors: true, strict: true, strictTypes: false, allowUnionTypes: true });
ajv.addKeyword({
  keyword: 'unit',
  type: 'string',
  validate: (unit: Parameters<typeof convert>[0], text: string) => convert(unit, text) !== undefined,
});
ajv.addVocabulary(['keys']);

/** Where ajv finds an error, each place once. */
function placesByAjv(judge: ReturnType<typeof ajv.compile>, value: unknown): readonly string[] {
  return judge(value) ? [] : uniq((judge.errors ?? []).map(({ instancePath }) => instancePath));
}

function uniq(places: readonly string[]): readonly string[] {
  return [...new Set(places)].sort();
}

const inShort = ({ keyword, schemaPath, instancePath, key }: Mistake) => [keyword, schemaPath, instancePath, key];

type Place = readonly (string | number)[];

/** Replacements for a value, or additions beside it. */
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
  const byAjv = ajv.compile(input);
  const judge = buildJudge(input);
  const example = parse(readFileSync(new URL(`../../../config/${name}.yaml`, import.meta.url), 'utf8'));

  t.test(`${name}: a file is wrong exactly where another implementation of JSON Schema says so`, async (t) => {
    t.strictSame(judge(example), [], 'the example');
    t.ok(byAjv(example), 'the example');
    const places = placesIn(example);
    let refused = 0;
    const rule = fc.property(
      fc.constantFrom(...places),
      changes,
      fc.constantFrom('set', 'drop', 'add'),
      (...change) => {
        const changed = changedPart(example, ...change);
        const found = uniq(judge(changed).map(({ instancePath }) => instancePath));
        if (found.length > 0) refused++;
        return isDeepStrictEqual(found, placesByAjv(byAjv, changed));
      },
    );
    const { numRuns } = tries(400, 4_000);
    fc.assert(rule, { numRuns });
    t.ok(refused > numRuns / 2, `${refused} were refused`);
  });

  t.test(`${name}: the first files of a process are judged as the later files are`, async () => {
    const changed = fc.tuple(fc.constantFrom(...placesIn(example)), changes, fc.constantFrom('set', 'drop', 'add'));
    const rule = fc.property(changed, (change) => {
      const file = changedPart(example, ...change);
      return isDeepStrictEqual(buildJudge(input)(file).map(inShort), judge(file).map(inShort));
    });
    fc.assert(rule, tries(20, 250));
  });
}

t.test('an unsupported keyword in a schema is our error, and not a valid file', async (t) => {
  t.throws(() => buildJudge({ maxItems: 1 } as Schema), TypeError);
  t.throws(() => buildJudge({ constructor: 1 } as unknown as Schema), TypeError);
  t.throws(() => buildJudge({ items: { maxItems: 1 } as Schema }), TypeError, 'at any depth');
});

t.test('every mistake in a value is found, however many there are', async (t) => {
  const values = Array.from({ length: 5000 }, () => 'a');
  t.equal(buildJudge({ type: 'array', items: { type: 'integer' } })(values).length, 5000);
});

t.test('each missing key and each unknown key is a separate mistake', async (t) => {
  const schema: Schema = {
    type: 'object',
    properties: { a: {}, b: {} },
    required: ['a', 'b'],
    additionalProperties: false,
  };
  const found = buildJudge(schema)({ c: 1, d: 2 });
  t.strictSame(
    found.map(({ keyword, key }) => `${keyword} ${key}`),
    ['required a', 'required b', 'additionalProperties c', 'additionalProperties d'],
  );
});

t.test('a wrong value under a key with a free name is one mistake', async (t) => {
  const found = buildJudge({ type: 'object', additionalProperties: { type: 'string' }, keys: 'names' })({ 'a/b~': 1 });
  t.match(found, [{ keyword: 'type', instancePath: '/a~1b~0', value: 1 }]);
  t.equal(found.length, 1);
});

function placesIn(value: unknown, place: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [place];
  const below = Object.entries(value).flatMap(([key, each]) => placesIn(each, [...place, key]));
  return place.length === 0 ? below : [place, ...below];
}

/**
 * The file with one change. Of the lists, it has the first item and the changed one: both judges read the whole file each time.
 */
function changedPart(example: object, place: Place, value: unknown, how: string): object {
  const [key, index = 0] = place;
  const isKept = (name: string, at: number) => at === 0 || (name === key && at === Number(index));
  const part = Object.entries(structuredClone(example)).map(([name, each]): [string, unknown] => [
    name,
    Array.isArray(each) ? each.filter((_, at) => isKept(name, at)) : each,
  ]);
  const file = Object.fromEntries(part);
  const isLater = place.length > 1 && Array.isArray(file[key as string]) && Number(index) > 0;
  apply(file, isLater ? place.with(1, 1) : place, value, how);
  return file;
}

/** At a place, or one next to it. */
function apply(root: object, place: Place, value: unknown, how: string): void {
  const holder = place.slice(0, -1).reduce((at, key) => at[key as never], root) as Record<string, unknown> | unknown[];
  const key = place.at(-1) as string;
  if (Array.isArray(holder)) holder.splice(Number(key), how === 'add' ? 0 : 1, ...(how === 'drop' ? [] : [value]));
  else if (how === 'drop') delete holder[key];
  else holder[how === 'add' ? `${key}2` : key] = value;
}
