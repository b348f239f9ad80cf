import { stringify } from 'yaml';
import { dashboard } from './dashboard.ts';
import type { Json, JsonSchema, Keys, Section, Value } from './value.ts';
import { values } from './values.ts';

/** What is generated from the values of the chart: path → text. */
export function chartFiles(): Readonly<Record<string, string>> {
  return {
    'helm/gatehouse/values.yaml': `${head}\n${block(values, '')}`,
    'helm/gatehouse/files/dashboard.json': `${JSON.stringify(dashboard(), null, 2)}\n`,
    'helm/gatehouse/values.schema.json': `${JSON.stringify(schemaFile(), null, 1)}\n`,
  };
}

/** Every value that is set as one unit: dotted path → value. */
export function leaves(keys: Keys = values, prefix = ''): readonly (readonly [string, Value])[] {
  return Object.entries(keys).flatMap(([key, each]) =>
    each.kind === 'value' ? [[prefix + key, each] as const] : leaves(each.keys, `${prefix}${key}.`),
  );
}

const head = [
  '# Made by `npm run generate` from tools/chart: do not edit. A key that is not listed here is refused.',
  '',
].join('\n');

function schemaFile(): JsonSchema {
  const { properties, ...rest } = schemaOf({
    kind: 'section',
    description: 'Values of the chart gatehouse.',
    keys: values,
  });
  // Helm passes the values that all charts share to each of them.
  const global: JsonSchema = {
    type: 'object',
    description: 'Values for all charts of a release. This chart does not read them.',
  };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...rest,
    properties: { ...(properties as JsonSchema), global },
  };
}

function schemaOf(each: Value | Section): JsonSchema {
  const { description } = each;
  if (each.kind === 'value') return { ...each.schema, description, default: each.otherwise };
  const properties = Object.fromEntries(Object.entries(each.keys).map(([key, inner]) => [key, schemaOf(inner)]));
  return { type: 'object', description, additionalProperties: false, properties };
}

function block(keys: Keys, indent: string): string {
  const entries = Object.entries(keys).map(([key, each]) => entry(key, each, indent));
  return entries.join(indent === '' ? '\n' : '');
}

function entry(key: string, each: Value | Section, indent: string): string {
  const told = wrapped(each.description, 118 - indent.length).map((line) => `${indent}# ${line}\n`);
  if (each.kind === 'section') return `${told.join('')}${indent}${key}:\n${block(each.keys, `${indent}  `)}`;
  return `${told.join('')}${indented(stringify({ [key]: each.otherwise } satisfies Json, { lineWidth: 0 }), indent)}`;
}

function indented(text: string, indent: string): string {
  return text.replace(/^(?=.)/gm, indent);
}

function wrapped(text: string, width: number): readonly string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
