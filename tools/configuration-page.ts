import { AuthorizationSchema } from '../src/config/schema/authorization.ts';
import { GatewaySchema } from '../src/config/schema/gateway.ts';
import { inputSchema, type Schema } from '../src/config/schema/input-schema.ts';
import { unitTable } from '../src/config/schema/units.ts';

/** A key of a configuration file, as the reference tells of it. */
export interface Key {
  /** Dotted; `NAME` stands for a name of the user's choice, `[]` for each entry of a list. */
  readonly path: string;
  readonly form: string;
  /** What holds when the key is left out. */
  readonly otherwise: string;
  readonly description: string;
}

const files = {
  'gateway.yaml': GatewaySchema as unknown as Schema,
  'authorization.yaml': AuthorizationSchema as unknown as Schema,
};

/** docs/configuration.md: every key of both files. */
export function configurationPage(): string {
  return [
    '# Configuration',
    '<!-- Made by `npm run generate` from the schemas in src/config: do not edit. -->',
    introduction,
    ...Object.entries(files).flatMap(([file, schema]) => [`## ${file}`, ...sections(schema)]),
  ]
    .join('\n\n')
    .concat('\n');
}

/** Every key of both files, in the order of the schemas. */
export function configurationKeys(): readonly Key[] {
  return Object.values(files).flatMap((schema) => keysBelow(inputSchema(schema), ''));
}

const introduction = [
  'Both files are YAML in UTF-8, of 4 MiB at most; a file that one of them names has 64 MiB at most, and is no pipe. A key that is not listed here is an error, with its line and what was probably meant; `gatehouse check FILE` tells all of them at once. For editors there is a JSON Schema of each file in `config/`; for TypeScript there are their types: `import type { AuthorizationFile, GatewayFile } from "gatehouse"`. Paths of files are relative to the file that names them.',
  '`NAME` in a key means a name of your choice, `[]` each entry of a list. The column *default* says what applies without the key. There, `–` is nothing, and `alternative` marks the one key of several that chooses the form.',
  '## Forms',
  [
    '| form | how it is written |',
    '|---|---|',
    `| duration | ${formOf('duration')}; 0 as \`0s\` |`,
    `| size | ${formOf('size')} |`,
    `| address | ${formOf('address')}; port 0 takes any free port |`,
    '| text | any text that is not empty |',
    '| `a`, `b` | one of these words |',
    '| list of … | `[a, b]`, or one entry a line after `- ` |',
    '| map | the keys that follow, one a line or as `{ key: value }` |',
    '| names → … | a map whose keys are names of your choice |',
  ].join('\n'),
  '## Variables',
  `In any value, \`\${NAME}\` is the environment variable of that name. \`\${NAME:-text}\` has a text for an unset or empty variable. \`\${file:PATH}\` is the content of a file without its last line break. A variable that is not set is an error. Substituted text is never parsed as YAML. A literal \`\${\` is written \`$\${\`.`,
  '## Without secrets',
  `\`check\`, \`diff\`, \`routes\`, \`explain\` and \`config show\` accept \`--no-secrets\`, so that a pipeline can check a file without the secrets of production. Then no environment variable is read, and no file that \`\${file:PATH}\` names. \`\${NAME:-text}\` is its text. A placeholder replaces everything else, in the form that its place requires: a key, a password in a URL, a number, an address, a method, a name that the file defines. Where no such form is valid, this is no fault of the file: it counts as valid, standard error says so, and its \`tests\` are not run. The other commands then end with exit status 1, since they need a whole configuration. Files with secrets are never opened: \`tls.key\`, \`client_key\`, and the \`users\` of Basic and Digest. The others (\`tls.cert\`, \`tls.ca\`, \`tls.client_ca\`, \`jwks_file\`, \`theme.logo\`) are checked if they exist, and assumed valid if not. One line on standard error lists everything that was skipped. No server is contacted: for a token, \`explain\` says that no authorization server was asked, and \`--scope\` assumes one. The two programs, \`doctor\` and all other running commands do not accept the option. \`gatehouse why\` does not need it: it reads only \`ticket_keys\` and \`admin\` of the file.`,
  '## Overrides from the environment',
  "A variable `GATEHOUSE__…` replaces a key, whether the file has that key or not. Two underscores go one level down, case is ignored, and `-` is written `_`. `GATEHOUSE__UPSTREAMS__ORDERS__URL` is `upstreams.orders.url`. A list or a map is given whole, as YAML text. With `__FILE` at the end, the variable names a file that holds the value. Entries of lists cannot be set one by one, and `routes` are only in the file. A variable that names no key is an error, so set each one for its program: gateway and authorization service do not know each other's keys. Kubernetes sets variables for a Service whose name begins with `gatehouse--`. They are ignored with a warning; `enableServiceLinks: false` in the pod removes them.",
].join('\n\n');

/** The forms are told in the table of units as an instruction; here they are a noun. */
function formOf(unit: keyof typeof unitTable): string {
  return unitTable[unit].form.replace(/^write /, '');
}

function sections(schema: Schema): string[] {
  const input = inputSchema(schema);
  const top = keysBelow(input, '').filter(({ path }) => /^\w+$/.test(path));
  const nested = Object.entries(input.properties ?? {}).flatMap(([name, each]) => {
    const keys = keysWithin(each, name);
    return keys.length === 0 ? [] : [`### \`${name}\``, ...(each.description ? [each.description] : []), table(keys)];
  });
  return [table(top), ...nested];
}

function keysBelow({ properties = {}, required = [] }: Schema, prefix: string): Key[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = prefix + name;
    const otherwise = required.includes(name) ? 'required' : otherwiseOf(schema);
    return [
      { path, form: inWords(schema), otherwise, description: schema.description ?? '' },
      ...keysWithin(schema, path),
    ];
  });
}

/** The keys of the values that stand at a path, in whichever way they are written. */
function keysWithin(schema: Schema, path: string): Key[] {
  const { items, anyOf = [], additionalProperties } = schema;
  return [
    ...keysBelow(schema, `${path}.`),
    ...(items === undefined ? [] : keysWithin(items, `${path}[]`)),
    ...(typeof additionalProperties === 'object' ? keysWithin(additionalProperties, `${path}.NAME`) : []),
    ...(maps(anyOf).length > 1
      ? maps(anyOf).flatMap((map) => alternative(map, path))
      : maps(anyOf).flatMap((map) => keysWithin(map, path))),
  ];
}

/** One of several maps that a value may be: what the map is for stands with the key that it is known by. */
function alternative({ description, ...map }: Schema, path: string): Key[] {
  return keysWithin(map, path).map((key) => {
    const isChoice = key.otherwise === 'required' && key.path.lastIndexOf('.') === path.length;
    return isChoice ? { ...key, otherwise: 'alternative', description: description ?? key.description } : key;
  });
}

function maps(branches: readonly Schema[]): readonly Schema[] {
  return branches.filter(({ type }) => type === 'object');
}

/** Of a map whose keys are known the defaults stand with its keys. */
function otherwiseOf({ default: fallback, properties }: Schema): string {
  if (fallback === undefined) return '–';
  if (properties !== undefined) return 'see its keys';
  return typeof fallback === 'string' ? `\`${fallback}\`` : `\`${JSON.stringify(fallback)}\``;
}

function inWords(schema: Schema): string {
  const { anyOf, const: only, enum: words, unit, items, additionalProperties } = schema;
  if (anyOf !== undefined) return [...new Set(anyOf.map(inWords))].join(' or ');
  if (only !== undefined) return `\`${JSON.stringify(only)}\``;
  if (words !== undefined) return words.map((word) => `\`${word}\``).join(', ');
  if (unit !== undefined) return schema.pattern?.startsWith('^(none|') ? `${unit} or \`none\`` : unit;
  if (items !== undefined) return `list of ${inWords(items)}`;
  if (typeof additionalProperties === 'object') return `names → ${inWords(additionalProperties)}`;
  return plain(schema);
}

const plainForms: Readonly<Record<string, string>> = {
  object: 'map',
  string: 'text',
  boolean: '`true` or `false`',
};

const numbers: Readonly<Record<string, string>> = { integer: 'whole number', number: 'number' };

function plain({ type, minimum, maximum }: Schema): string {
  const noun = numbers[type ?? ''];
  if (noun === undefined) return plainForms[type ?? ''] ?? 'anything';
  const bounds = [minimum !== undefined && `at least ${minimum}`, maximum !== undefined && `at most ${maximum}`];
  return [noun, ...bounds.filter(Boolean)].join(', ');
}

function table(keys: readonly Key[]): string {
  const rows = keys.map(
    ({ path, form, otherwise, description }) =>
      `| \`${path}\` | ${cell(form)} | ${cell(otherwise)} | ${cell(description)} |`,
  );
  return ['| key | form | default | what it is |', '|---|---|---|---|', ...rows].join('\n');
}

/** A bar would end the cell. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
