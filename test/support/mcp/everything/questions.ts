import { inputRequired } from '@modelcontextprotocol/server';

type Properties = Parameters<typeof inputRequired.elicit>[0]['requestedSchema'];

/** Asks the user to fill in a form. */
export function form(message: string, properties: object, required: readonly string[] = Object.keys(properties)) {
  const requestedSchema = { type: 'object', properties, required } as Properties;
  return inputRequired.elicit({ message, requestedSchema });
}

/** Asks the model of the client. */
export function model(prompt: string) {
  const content = { type: 'text', text: prompt } as const;
  return inputRequired.createMessage({ messages: [{ role: 'user', content }], maxTokens: 100 });
}

export const folders = () => inputRequired.listRoots();

const text = { type: 'string' };

export const name = (message = 'What is your name?') => form(message, { name: text });
export const color = () => form('Step 2: What is your favorite color?', { color: text });
export const confirmation = () => form('Please confirm', { ok: { type: 'boolean' } });

/** Each type of a field, with its default (SEP-1034). */
export const defaults = () =>
  form(
    'Please review the values',
    {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    },
    [],
  );

const options = ['option1', 'option2', 'option3'];
const titled = options.map((option) => ({ const: option.replace('option', 'value'), title: `The ${option}` }));

/** Each way to write a choice (SEP-1330). */
export const choices = () =>
  form(
    'Please choose',
    {
      untitledSingle: { type: 'string', enum: options },
      titledSingle: { type: 'string', oneOf: titled },
      legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
      untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
      titledMulti: { type: 'array', items: { anyOf: titled } },
    },
    [],
  );
