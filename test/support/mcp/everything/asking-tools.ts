import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type InputRequests,
  type InputResponseView,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { NewTool } from './add-tool.ts';
import { choices, color, confirmation, defaults, folders, form, model, name } from './questions.ts';
import { said } from './samples.ts';

/** The state of a call between two rounds. The client keeps it, so it is signed. */
export const rounds = createRequestStateCodec<number>({ key: 'a key of the tests, with 32 bytes or more' });

type Call = NewTool['call'];
type Answers = ReadonlyMap<string, InputResponseView>;

/** The answers to these questions, or undefined if one is missing or has another form. */
function answersTo(questions: InputRequests, { mcpReq }: ServerContext): Answers | undefined {
  const answers = new Map(Object.keys(questions).map((key) => [key, inputResponse(mcpReq.inputResponses, key)]));
  return [...answers.values()].some(({ kind }) => kind === 'missing') ? undefined : answers;
}

const told = (answers: Answers) => ({ content: [said(`The client answered ${JSON.stringify([...answers])}`)] });

/** Returns the answers. In the revisions before 2026-07-28, the SDK itself sends the questions to the client. */
const asks =
  (questions: InputRequests): Call =>
  (context) => {
    const answers = answersTo(questions, context);
    return answers === undefined ? inputRequired({ inputRequests: questions }) : told(answers);
  };

/** Asks one after another. The state says which question is open. */
const asksInTurn =
  (...turns: readonly InputRequests[]): Call =>
  async (context) => {
    const round = context.mcpReq.requestState<number>() ?? 0;
    const asked = turns[round - 1];
    const answers = asked === undefined ? undefined : answersTo(asked, context);
    const next = answers === undefined ? Math.max(round, 1) : round + 1;
    const questions = turns[next - 1];
    if (questions === undefined) return { content: [said(`state-ok after ${turns.length} rounds`)] };
    return inputRequired({ inputRequests: questions, requestState: await rounds.mint(next) });
  };

/** Asks only what the client says that it can answer. */
const asksWhatIsPossible: Call = ({ mcpReq }) => {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  const able = (envelope[CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities;
  const inputRequests: InputRequests = {
    ...(able.sampling !== undefined && { capital_question: model('What is the capital of France?') }),
    ...(able.elicitation !== undefined && { user_name: name() }),
  };
  return inputRequired({ inputRequests });
};

const tool = (name: string, description: string, call: Call): NewTool => ({ name, description, call });

const mrtr = (name: string, description: string, call: Call): NewTool =>
  tool(`test_input_required_result_${name}`, description, call);

const needs = (argument: string) => ({
  input: { type: 'object', properties: { [argument]: { type: 'string' } }, required: [argument] },
});

const contact = { username: { type: 'string' }, email: { type: 'string' } };

export const askingTools: readonly NewTool[] = [
  {
    ...tool('test_sampling', 'Asks the model of the client', (context, { prompt }) =>
      asks({ sample: model(String(prompt)) })(context, {}),
    ),
    ...needs('prompt'),
  },
  {
    ...tool('test_elicitation', 'Asks the user', (context, { message }) =>
      asks({ contact: form(String(message), contact) })(context, {}),
    ),
    ...needs('message'),
  },
  tool('test_elicitation_sep1034_defaults', 'Asks with defaults', asks({ values: defaults() })),
  tool('test_elicitation_sep1330_enums', 'Asks with choices', asks({ values: choices() })),
  tool('test_missing_capability', 'Needs a client with a model', asks({ sample: model('Say hello') })),
  tool('test_streaming_elicitation', 'Asks the user', asks({ user_name: name() })),
  mrtr('elicitation', 'Asks the user', asks({ user_name: name() })),
  mrtr('sampling', 'Asks the model', asks({ capital_question: model('What is the capital of France?') })),
  mrtr('list_roots', 'Asks for folders', asks({ client_roots: folders() })),
  mrtr('request_state', 'Asks, with a state', asksInTurn({ confirm: confirmation() })),
  mrtr('tampered_state', 'Asks, with a signed state', asksInTurn({ confirm: confirmation() })),
  mrtr(
    'multiple_inputs',
    'Asks three questions at once',
    asksInTurn({ user_name: name(), greeting: model('Generate a greeting'), client_roots: folders() }),
  ),
  mrtr(
    'multi_round',
    'Asks two questions in turn',
    asksInTurn({ step1: name('Step 1: What is your name?') }, { step2: color() }),
  ),
  mrtr('capabilities', 'Asks what the client can answer', asksWhatIsPossible),
];
