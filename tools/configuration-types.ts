// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this
import { AuthorizationSchema } from '../src/config/schema/authorization.ts';
import { GatewaySchema } from '../src/config/schema/gateway.ts';
import { inputSchema, type Schema } from '../src/config/schema/input-schema.ts';

const files = [
  { name: 'GatewayFile', file: 'gateway.yaml', schema: GatewaySchema as unknown as Schema },
  { name: 'AuthorizationFile', file: 'authorization.yaml', schema: AuthorizationSchema as unknown as Schema },
];

/** config/files.d.ts: the types of both files, for users who generate them with a program. It imports nothing. */
export function configurationTypes(): string {
  return [
    '// Made by `npm run generate` from the schemas in src/config: do not edit.',
    variable,
    ...files.map(
      ({ name, file, schema }) =>
        `/** ${file} as it is written: defaults left out, durations and sizes as text. */\nexport interface ${name} ${objectOf(inputSchema(schema), '')}`,
    ),
  ]
    .join('\n\n')
    .concat('\n');
}

const variable = `/** \`\${NAME}\`, \`\${NAME:-default}\` or \`\${file:PATH}\`, alone or within text, in any value. */
export type Variable = \`\${string}\\\${\${string}}\${string}\`;`;

const scalars: Readonly<Record<string, readonly string[]>> = {
  string: ['string'],
  integer: ['number', 'Variable'],
  number: ['number', 'Variable'],
  boolean: ['boolean', 'Variable'],
};

function typeOf(schema: Schema, indent: string): string {
  return alternatives(schema, indent).join(' | ');
}

function alternatives(schema: Schema, indent: string): readonly string[] {
  const words = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (words !== undefined) return [...words.map((word) => JSON.stringify(word)), 'Variable'];
  if (schema.anyOf !== undefined)
    return [...new Set(schema.anyOf.flatMap((branch) => alternatives(branch, indent)))].sort(variableLast);
  if (schema.type === 'object') return [objectOf(schema, indent)];
  if (schema.type === 'array') return [`ReadonlyArray<${typeOf(schema.items ?? {}, indent)}>`];
  return scalars[schema.type ?? ''] ?? ['unknown'];
}

function variableLast(one: string, other: string): number {
  return Number(one === 'Variable') - Number(other === 'Variable');
}

function objectOf(schema: Schema, indent: string): string {
  const inner = `${indent}  `;
  const keys = Object.entries(schema.properties ?? {}).flatMap(([key, value]) => [
    ...comment(value, inner),
    `${inner}${quoted(key)}${schema.required?.includes(key) ? '' : '?'}: ${typeOf(value, inner)};`,
  ]);
  return ['{', ...keys, ...namesOfChoice(schema, inner), `${indent}}`].join('\n');
}

/** None where other keys are a mistake. */
function namesOfChoice({ additionalProperties }: Schema, indent: string): readonly string[] {
  if (additionalProperties === false) return [];
  const type = typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent) : 'unknown';
  return [`${indent}[name: string]: ${type};`];
}

function comment({ description, default: fallback }: Schema, indent: string): readonly string[] {
  const told = [description, fallback === undefined ? undefined : `Default: \`${JSON.stringify(fallback)}\`.`];
  const text = told.filter((part) => part !== undefined).join(' ');
  return text === '' ? [] : [`${indent}/** ${text.replaceAll('*/', '*\\/')} */`];
}

function quoted(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key);
}
