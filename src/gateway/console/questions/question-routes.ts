import type { FastifyInstance } from 'fastify';
import type { LiveGeneration } from '../../generation/generation.ts';
import { answer, given } from './ask.ts';
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
  app.get('/api/file', () => {
    const { text, remark } = files.current();
    return { text, remark };
  });
  app.post('/api/explain', options, async ({ body }, reply) => {
    const read = readBody(QuestionSchema, body);
    if (!read.ok) return reply.code(400).send({ fault: read.fault });
    const answered = await answer(read.value, () => files.current());
    return answered.ok ? answered : reply.code('fault' in answered ? 400 : 422).send(answered);
  });
  app.post('/api/check', options, ({ body }, reply) => {
    const read = readBody(CheckSchema, body);
    if (!read.ok) return reply.code(400).send({ fault: read.fault });
    const loaded = given(read.value.yaml);
    return reply.send({ problems: loaded.ok ? loaded.warnings : loaded.problems });
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
