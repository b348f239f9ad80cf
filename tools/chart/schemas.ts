import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

// biome-ignore lint/suspicious/noExplicitAny: OpenAPI as its authors write it
type OpenApi = any;

/** The schema of one kind of object, where kubeconform finds it below `-schema-location`. */
interface KindSchema {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly schema: OpenApi;
}

export function writeSchemas(folder: string, kinds: readonly KindSchema[]): void {
  for (const { group, version, kind, schema } of kinds) {
    // the core has no group; kubeconform uses the version instead
    const of = join(folder, group || version);
    mkdirSync(of, { recursive: true });
    writeFileSync(join(of, `${kind.toLowerCase()}_${version}.json`), JSON.stringify(schema));
  }
}

/** The kinds of Kubernetes itself, from its swagger.json. */
export function builtInKinds(file: string): readonly KindSchema[] {
  const { definitions } = JSON.parse(readFileSync(file, 'utf8'));
  return Object.entries<OpenApi>(definitions).flatMap(([name, definition]) => {
    const of = definition['x-kubernetes-group-version-kind'];
    if (of?.length !== 1 || definition.properties?.metadata === undefined) return [];
    const [{ group, version, kind }] = of;
    const reached = Object.fromEntries(
      [...reachedFrom(name, definitions)].map((each) => [each, strict(definitions[each])]),
    );
    return [{ group, version, kind, schema: { ...strict(definition), definitions: reached } }];
  });
}

/** The kinds in every CustomResourceDefinition below a folder, or in one file. */
export function customKinds(path: string): readonly KindSchema[] {
  const files = path.endsWith('.yaml') ? [path] : readdirSync(path).map((name) => join(path, name));
  return files.filter((file) => file.endsWith('.yaml')).flatMap(kindsOfFile);
}

function kindsOfFile(file: string): readonly KindSchema[] {
  const documents = parseAllDocuments(readFileSync(file, 'utf8')).map((document) => document.toJS() as OpenApi);
  const definitions = documents.filter((each) => each?.kind === 'CustomResourceDefinition');
  return definitions.flatMap(({ spec: { group, names, versions } }) =>
    versions.map(({ name: version, schema }: OpenApi) => ({
      group,
      version,
      kind: names.kind,
      schema: strict(withObjectKeys(schema.openAPIV3Schema)),
    })),
  );
}

/** The definition of a custom resource may omit the members that every object has. */
function withObjectKeys(schema: OpenApi): OpenApi {
  const text = { type: 'string' };
  return {
    ...schema,
    properties: { ...schema.properties, apiVersion: text, kind: text, metadata: { type: 'object' } },
  };
}

const REFERENCE = '#/definitions/';

function reachedFrom(name: string, definitions: OpenApi, found = new Set<string>()): ReadonlySet<string> {
  for (const [, next = ''] of JSON.stringify(definitions[name]).matchAll(/"#\/definitions\/([^"]+)"/g)) {
    if (found.has(next)) continue;
    found.add(next);
    reachedFrom(next, definitions, found);
  }
  return found;
}

const either = { anyOf: [{ type: 'string' }, { type: 'number' }] };

/** An unknown key is a typo: the API drops it silently, unless the schema allows any key. */
function strict(schema: OpenApi): OpenApi {
  if (Array.isArray(schema)) return schema.map(strict);
  if (schema === null || typeof schema !== 'object') return schema;
  if (schema.$ref?.endsWith('resource.Quantity') || schema.format === 'int-or-string') return either;
  if (schema['x-kubernetes-int-or-string'] === true) return either;
  if (schema.$ref !== undefined) return { $ref: `${REFERENCE}${schema.$ref.slice(REFERENCE.length)}` };
  const { properties, additionalProperties, items, allOf, anyOf, oneOf, not } = schema;
  const isOpen = properties === undefined || schema['x-kubernetes-preserve-unknown-fields'] === true;
  return {
    ...plainly(schema),
    ...(properties && { properties: mapped(properties, strict) }),
    ...(items && { items: strict(items) }),
    ...{ allOf, anyOf, oneOf, not },
    ...(additionalProperties !== undefined
      ? { additionalProperties: strict(additionalProperties) }
      : isOpen
        ? {}
        : { additionalProperties: false }),
  };
}

/** Without keywords that a JSON Schema validator ignores, or that mean something else in Kubernetes. */
function plainly(schema: OpenApi): OpenApi {
  const kept = [
    'type',
    'enum',
    'required',
    'pattern',
    'minimum',
    'maximum',
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
  ];
  return Object.fromEntries(kept.flatMap((key) => (schema[key] === undefined ? [] : [[key, schema[key]]])));
}

function mapped(properties: OpenApi, change: (schema: OpenApi) => OpenApi): OpenApi {
  return Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, change(value)]));
}
