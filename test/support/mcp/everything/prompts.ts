import {
  fromJsonSchema,
  type GetPromptResult,
  inputRequired,
  inputResponse,
  type McpServer,
} from '@modelcontextprotocol/server';
import { form } from './questions.ts';
import { embedded, image, said } from './samples.ts';

type Content = GetPromptResult['messages'][number]['content'];

const messages = (...contents: Content[]): GetPromptResult => ({
  messages: contents.map((content) => ({ role: 'user', content })),
});

/** A JSON Schema of texts, all required. */
function texts<Name extends string>(...names: readonly Name[]) {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  return fromJsonSchema<Record<Name, string>>({ type: 'object', properties, required: [...names] });
}

export function addPrompts(server: McpServer): void {
  server.registerPrompt('test_simple_prompt', { description: 'Without arguments' }, () =>
    messages(said('This is a simple prompt for testing.')),
  );
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'Repeats its arguments', argsSchema: texts('arg1', 'arg2') },
    ({ arg1, arg2 }) => messages(said(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'Has a resource', argsSchema: texts('resourceUri') },
    ({ resourceUri }) =>
      messages(
        embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
        said('Please process the embedded resource above.'),
      ),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'Has a picture' }, () =>
    messages(image, said('Please analyze the image above.')),
  );
  addAskingPrompt(server);
}

function addAskingPrompt(server: McpServer): void {
  const question = form('What context should the prompt use?', { context: { type: 'string' } });
  server.registerPrompt('test_input_required_result_prompt', { description: 'Asks the user' }, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'user_context');
    if (answer.kind !== 'elicit') return inputRequired({ inputRequests: { user_context: question } });
    return messages(said(`The context is ${JSON.stringify(answer.content)}`));
  });
}
