import { AuthorizationSchema } from '../src/config/schema/authorization.ts';
import { GatewaySchema } from '../src/config/schema/gateway.ts';
import { inputSchema, type Schema } from '../src/config/schema/input-schema.ts';
import { unitTable } from '../src/config/schema/units.ts';
import { examplesOf } from './configuration-examples.ts';

/** A key of a configuration file, as the reference describes it. */
export interface Key {
  /** Dotted. `NAME` is a name that the user chooses, and `[]` is each entry of a list. */
  readonly path: string;
  readonly form: string;
  /** What applies if the key is missing. */
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
    ...Object.entries(files).flatMap(([file, schema]) => [`## ${file}`, ...sections(schema, examplesOf(file))]),
  ]
    .join('\n\n')
    .concat('\n');
}

/** Every key of both files, in the order of the schemas. */
export function configurationKeys(): readonly Key[] {
  return Object.values(files).flatMap((schema) => keysBelow(inputSchema(schema), ''));
}

const introduction = [
  'This page lists every key of `gateway.yaml` and `authorization.yaml`, with its form, its default and an example. Both files are YAML in UTF-8, with at most 4 MiB. Any other file that these two files name may have at most 64 MiB (a `jwks_file` at most 1 MiB), and must not be a pipe. An unknown key is an error. The message names the line of this key, and the known key that is most similar. `gatehouse check FILE` reports all errors at once. For editors, `config/` has a JSON Schema for each file. For TypeScript, the package has types: `import type { AuthorizationFile, GatewayFile } from "gatehouse-oauth"`. Paths are relative to the file that names them.',
  'In a key, `NAME` means a name of your choice, and `[]` means each entry of a list. The column *default* says what applies without the key. There, `–` means that the key has no fixed default. If the program finds a value in another way, the description says how. If several keys of a map have `alternative` there, write exactly one of these keys. The column *example* has a value from a real file. `…` marks the place where a long value is cut.',
  '## Forms',
  [
    '| form | how it is written |',
    '|---|---|',
    `| duration | ${formOf('duration')}; 0 as \`0s\`. A time that the gateway waits, such as a timeout or an interval, is at most \`24d\` |`,
    `| size | ${formOf('size')} |`,
    `| address | ${formOf('address')}; with port 0, the system chooses a free port |`,
    '| text | any text that is not empty |',
    '| `a`, `b` | one of these words |',
    '| list of … | `[a, b]`, or one entry per line after `- ` |',
    '| map | the keys of the following rows, one per line or as `{ key: value }` |',
    '| names → … | a map whose keys are names of your choice |',
  ].join('\n'),
  '## Variables',
  `In any value, \`\${NAME}\` is replaced by the environment variable with this name. If this variable is not set, that is an error. \`\${NAME:-text}\` is replaced by \`text\` if the variable is unset or empty. \`\${file:PATH}\` is replaced by the content of a file, without its last line break. Substituted text is never parsed as YAML. For a literal \`\${\`, write \`$\${\`.`,
  '## Without secrets',
  `\`check\`, \`diff\`, \`routes\`, \`explain\` and \`config show\` accept \`--no-secrets\`, so that a pipeline can check a file without the secrets of production. With this option, a command reads no environment variables, and no files that \`\${file:PATH}\` names. For \`\${NAME:-text}\`, the command uses the text. For \`\${NAME}\` and \`\${file:PATH}\`, the command uses a placeholder. The placeholder has the form that its place requires: for example a key, a password in a URL, a number, an address, a method, or a name that the file defines. If no placeholder is valid in a place, \`check\` assumes that the value there is valid. It reports this on standard error, and does not run the \`tests\`. The other commands end with exit status 1 in this case, since they need a whole configuration. With the option, no command opens files with secrets: \`tls.key\`, \`client_key\`, the \`users\` of Basic and Digest, and the \`keys\` of \`api_key\`. The commands check the other files (\`tls.cert\`, \`tls.ca\`, \`tls.client_ca\`, \`jwks_file\`, \`theme.logo\`) if these exist, and assume that a missing file is valid. One line on standard error lists everything that was skipped. The commands contact no server. If the request has a token, \`explain\` reports that it asked no authorization server. With \`--scope\`, \`explain\` assumes a valid token with this scope. The gateway, the authorization service, \`doctor\` and all other commands do not accept the option. \`gatehouse why\` does not need the option, because this command reads only \`ticket_keys\` and \`admin\` of the file.`,
  '## Overrides from the environment',
  'A variable `GATEHOUSE__…` sets the value of a key, whether the file has this key or not. `GATEHOUSE__` must be in upper case. In the names of keys after it, upper and lower case do not matter, and a single `_` also stands for `-`. Two underscores go one level down. For example, `GATEHOUSE__UPSTREAMS__ORDERS__URL` replaces `upstreams.orders.url`. For a list or a map, the variable has the whole value as YAML text. If the name ends with `__FILE` in upper case, the variable names a file with the value. You cannot set single entries of lists, and you can write `routes` only in the file. If the name of such a variable leads to no key, that is an error. The gateway and the authorization service have different keys, so set each variable only for its own program. If the name of a Kubernetes Service begins with `gatehouse--`, Kubernetes sets variables that also begin with `GATEHOUSE__`. The programs ignore these variables with a warning. `enableServiceLinks: false` in the pod removes them.',
].join('\n\n');

/** The table of units describes the forms as an instruction. Here they must be a noun. */
function formOf(unit: keyof typeof unitTable): string {
  return unitTable[unit].form.replace(/^write /, '');
}

type Examples = ReadonlyMap<string, string>;

function sections(schema: Schema, examples: Examples): string[] {
  const input = inputSchema(schema);
  const top = keysBelow(input, '').filter(({ path }) => /^\w+$/.test(path));
  const nested = Object.entries(input.properties ?? {}).flatMap(([name, each]) => {
    const keys = keysWithin(each, name);
    return keys.length === 0
      ? []
      : [`### \`${name}\``, ...(each.description ? [each.description] : []), table(keys, examples)];
  });
  return [table(top, examples), ...nested];
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

/** The keys of the values at a path, in each form that the value may have. */
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

/** One of several maps that a value may be. The key that identifies the map says what the map is for. */
function alternative({ description, ...map }: Schema, path: string): Key[] {
  return keysWithin(map, path).map((key) => {
    const isChoice = key.otherwise === 'required' && key.path.lastIndexOf('.') === path.length;
    return isChoice ? { ...key, otherwise: 'alternative', description: description ?? key.description } : key;
  });
}

function maps(branches: readonly Schema[]): readonly Schema[] {
  return branches.filter(({ type }) => type === 'object');
}

/** A map with known keys shows the defaults at its keys. */
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

function table(keys: readonly Key[], examples: Examples): string {
  const rows = keys.map(
    ({ path, form, otherwise, description }) =>
      `| \`${path}\` | ${cell(form)} | ${cell(otherwise)} | ${cell(description)} | ${cell(exampleOf(path, examples))} |`,
  );
  return ['| key | form | default | what it is | example |', '|---|---|---|---|---|', ...rows].join('\n');
}

function exampleOf(path: string, examples: Examples): string {
  const example = examples.get(path);
  if (example === undefined) throw new Error(`tools/examples has no value for ${path}: add one.`);
  return `\`${example}\``;
}

/** A `|` would end the cell. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
