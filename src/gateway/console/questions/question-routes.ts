import type { FastifyInstance, FastifyReply } from 'fastify';
import type { LiveGeneration } from '../../generation/generation.ts';
import { answer, faultOf } from './ask.ts';
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
import { viewToken } from './token-view.ts';

export interface Questions {
  readonly live: LiveGeneration;
  readonly files: RunningFiles;
}

/** Questions of people and commands. Nothing that they send is stored or logged. */
export function answerQuestions(app: FastifyInstance, { live, files }: Questions): void {
  const options = { bodyLimit: LARGEST_BODY * 2 };
  const pasted = new PasteThread();
  app.addHook('onClose', () => pasted.close());
  app.get('/api/file', () => {
    const { text, remark } = files.current();
    return { text, remark };
  });
  app.post('/api/explain', options, async ({ body }, reply) => {
    const read = readBody(QuestionSchema, body);
    const fault = read.ok ? faultOf(read.value) : read.fault;
    if (!read.ok || fault !== undefined) return reply.code(400).send({ fault });
    const { yaml, ...question } = read.value;
    const asked = { kind: 'explain', yaml: yaml ?? '', question } as const;
    const answered = yaml === undefined ? await answer(question, () => files.current()) : await pasted.ask(asked);
    if (typeof answered === 'string') return notJudged(reply, answered);
    return answered.ok ? answered : reply.code('fault' in answered ? 400 : 422).send(answered);
  });
  app.post('/api/check', options, async ({ body }, reply) => {
    const read = readBody(CheckSchema, body);
    if (!read.ok) return reply.code(400).send({ fault: read.fault });
    const problems = await pasted.ask({ kind: 'check', ...read.value });
    return typeof problems === 'string' ? notJudged(reply, problems) : reply.send({ problems });
  });
  app.post('/api/remedy', async ({ body }, reply) => {
    const read = readBody(RecordSchema, body);
    if (!read.ok) return reply.code(400).send({ fault: read.fault });
    return reply.send({ yaml: await remedyFor(read.value.record) });
  });
  app.post('/api/token', async ({ body }, reply) => {
    const read = readBody(TokenSchema, body);
    if (!read.ok) return reply.code(400).send({ fault: read.fault });
    return reply.send(await viewToken(read.value.token.trim(), files.current().file));
  });
  app.post('/api/ticket', ({ body }, reply) => {
    const read = readBody(TicketSchema, body);
    if (!read.ok) return reply.code(400).send({ fault: read.fault });
    const opened = live.current.shared.tickets.open(read.value.ticket.trim());
    return opened.kind === 'opened' ? opened.record : reply.code(404).send({ fault: opened.kind });
  });
}

const unjudged: Readonly<Record<Unjudged, { readonly status: 422 | 503; readonly fault: string }>> = {
  busy: { status: 503, fault: 'the gateway judges other pasted files; try again' },
  late: { status: 422, fault: 'this file takes too long to judge; `gatehouse check` judges it without a limit' },
};

function notJudged(reply: FastifyReply, why: Unjudged): FastifyReply {
  const { status, fault } = unjudged[why];
  return reply.code(status).send({ fault });
}
