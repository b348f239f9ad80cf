import type { FastifyInstance, FastifyReply } from 'fastify';
import type { LiveGeneration } from '../../generation/generation.ts';
import { callLimit } from '../../server-client/call-limit.ts';
import { sendError } from '../api-error.ts';
import { answer, questionFault } from './ask.ts';
import { PasteThread, type Unjudged } from './paste-thread.ts';
import {
  CheckSchema,
  LARGEST_BODY,
  QuestionSchema,
  RecordSchema,
  readBody,
  TicketSchema,
  TokenSchema,
} from './question-schema.ts';
import { remedyFor } from './remedy-for.ts';
import type { RunningFiles } from './running-file.ts';
import { viewTicket } from './ticket-view.ts';
import { viewToken } from './token-view.ts';

export interface Questions {
  readonly live: LiveGeneration;
  readonly files: RunningFiles;
}

/** Questions about the running file, which may ask servers. A flood of them must not become a flood for the servers. */
const AT_ONCE = 2;
const WAITING = 8;
/** Milliseconds until a waiting question is refused. */
const PATIENCE = 10_000;

/** Questions of people and commands. Nothing that they send is stored or logged. */
export function answerQuestions(app: FastifyInstance, { live, files }: Questions): void {
  const options = { bodyLimit: LARGEST_BODY * 2 };
  const pasted = new PasteThread();
  const limit = callLimit(AT_ONCE, WAITING);
  const inTurn = <Result>(ask: () => Promise<Result>) => limit.run(AbortSignal.timeout(PATIENCE), ask);
  app.addHook('onClose', () => pasted.close());
  app.get('/api/file', () => {
    const { text, remark } = files.current();
    return { text, remark };
  });
  app.post('/api/explain', options, async ({ body }, reply) => {
    const read = readBody(QuestionSchema, body);
    if (!read.ok) return sendError(reply, 400, read.fault);
    const fault = questionFault(read.value);
    if (fault !== undefined) return sendError(reply, 400, fault);
    const { yaml, ...question } = read.value;
    const asked = { kind: 'explain', yaml: yaml ?? '', question } as const;
    const answered =
      yaml === undefined ? await inTurn(() => answer(question, () => files.current())) : await pasted.ask(asked);
    if (typeof answered === 'string')
      return notJudged(reply, answered === 'late' && yaml !== undefined ? 'late' : 'busy');
    if (answered.ok) return answered;
    return reply.code(422).send({ error: 'the file has errors', problems: answered.problems });
  });
  app.post('/api/check', options, async ({ body }, reply) => {
    const read = readBody(CheckSchema, body);
    if (!read.ok) return sendError(reply, 400, read.fault);
    const problems = await pasted.ask({ kind: 'check', ...read.value });
    return typeof problems === 'string' ? notJudged(reply, problems) : reply.send({ problems });
  });
  app.post('/api/remedy', async ({ body }, reply) => {
    const read = readBody(RecordSchema, body);
    if (!read.ok) return sendError(reply, 400, read.fault);
    return reply.send({ yaml: await remedyFor(read.value.record) });
  });
  app.post('/api/token', async ({ body }, reply) => {
    const read = readBody(TokenSchema, body);
    if (!read.ok) return sendError(reply, 400, read.fault);
    const view = await inTurn(() => viewToken(read.value.token.trim(), files.current().file));
    return typeof view === 'string' ? notJudged(reply, 'busy') : reply.send(view);
  });
  app.post('/api/ticket', ({ body }, reply) => {
    const read = readBody(TicketSchema, body);
    if (!read.ok) return sendError(reply, 400, read.fault);
    const opened = live.current.shared.tickets.open(read.value.ticket.trim());
    return opened.kind === 'opened' ? viewTicket(opened.record) : sendError(reply, 404, opened.kind);
  });
}

const unjudged: Readonly<Record<Unjudged, { readonly status: 422 | 503; readonly error: string }>> = {
  busy: { status: 503, error: 'the gateway is busy with other questions; try again' },
  late: { status: 422, error: 'this file takes too long to judge; `gatehouse check` judges it without a time limit' },
};

function notJudged(reply: FastifyReply, why: Unjudged): FastifyReply {
  const { status, error } = unjudged[why];
  return sendError(reply, status, error);
}
