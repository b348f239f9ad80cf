import type { NewTool } from './add-tool.ts';
import { said } from './samples.ts';

const text = { type: 'string' };

/** Has each keyword of JSON Schema 2020-12 that a server could lose. */
const dialect = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { street: text, city: text } } },
  properties: {
    name: text,
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: text,
    email: text,
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

/** Argument → what follows `Mcp-Param-` in the name of the header in which clients repeat it. */
export const mirrored = { region: 'Region', priority: 'Priority', verbose: 'Verbose' } as const;

const repeated = (type: string, header: string) => ({ type, 'x-mcp-header': header });

const withHeaders = {
  type: 'object',
  properties: {
    region: repeated('string', mirrored.region),
    priority: repeated('integer', mirrored.priority),
    verbose: repeated('boolean', mirrored.verbose),
    query: text,
  },
  required: ['region'],
};

export const schemaTools: readonly NewTool[] = [
  {
    name: 'json_schema_2020_12_tool',
    description: 'Tool with JSON Schema 2020-12 features',
    input: dialect,
    call: (_context, given) => ({ content: [said(JSON.stringify(given))] }),
  },
  {
    name: 'test_custom_headers',
    description: 'Returns its arguments, which headers repeat',
    input: withHeaders,
    call: (_context, given) => ({ content: [said(JSON.stringify(given))] }),
  },
];
