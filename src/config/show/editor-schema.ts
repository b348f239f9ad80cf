// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this
import { inputSchema, type Schema } from '../schema/input-schema.ts';

const variable = {
  type: 'string',
  pattern: '\\$\\{[^}]+\\}',
  description: '${NAME}, ${NAME:-default} or ${file:PATH}.',
};

/** The schema of a file for editors: pure JSON Schema, which accepts `${NAME}` in place of any value. */
export function editorSchema(schema: Schema, title: string): object {
  return { $schema: 'http://json-schema.org/draft-07/schema#', title, ...(translate(inputSchema(schema)) as object) };
}

function translate(schema: Schema): unknown {
  const { unit: _unit, keys: _keys, properties, additionalProperties, items, anyOf, ...rest } = schema;
  if (isStrictScalar(schema)) return withVariable(rest);
  return {
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, translate(value)])),
    }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'object' ? translate(additionalProperties) : additionalProperties,
    }),
    ...(items && { items: translate(items) }),
    ...(anyOf && { anyOf: anyOf.map(translate) }),
  };
}

/** Text without a pattern accepts `${NAME}` anyway. */
function isStrictScalar({ type, anyOf, enum: words, ...rest }: Schema): boolean {
  return (
    anyOf === undefined &&
    type !== 'object' &&
    type !== 'array' &&
    (type !== 'string' || words !== undefined || 'pattern' in rest)
  );
}

function withVariable({ default: fallback, description, ...scalar }: Schema): object {
  return {
    ...(description !== undefined && { description }),
    ...(fallback !== undefined && { default: fallback }),
    anyOf: [scalar, variable],
  };
}
