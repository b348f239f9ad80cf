import { Writable } from 'node:stream';
import t from 'tap';
import type { AuditFacts } from '../../src/authorization/telemetry/audit.ts';
import { buildLog, type UnredactedLine, withoutRedaction } from '../../src/base/log.ts';
import type { DecisionRecord } from '../../src/gateway/telemetry/decision-record.ts';

function logTo(lines: Record<string, unknown>[]) {
  const write = (line: Buffer, _encoding: string, done: () => void) => {
    lines.push(JSON.parse(String(line)));
    done();
  };
  return buildLog({ level: 'info', format: 'json' }, new Writable({ write }));
}

t.test('a line shows no member with the name of a secret, at any of three levels', async (t) => {
  const lines: Record<string, unknown>[] = [];
  logTo(lines).info({ token: 'a', of: { password: 'b', more: { cookie: 'c' } }, kept: 'd' }, 'said');
  const hidden = '[redacted]';
  t.match(lines[0], { token: hidden, of: { password: hidden, more: { cookie: hidden } }, kept: 'd', msg: 'said' });
});

t.test('lines of known members are written as they are, at the level of the log', async (t) => {
  const lines: Record<string, unknown>[] = [];
  const known = withoutRedaction(logTo(lines));
  known.debug({ code: 'none' }, 'said');
  known.info({ code: 'token_expired', of: 'all' }, 'said');
  t.match(lines, [{ code: 'token_expired', of: 'all', msg: 'said', level: 30 }]);
});

t.test('a member with the name of a secret, and an error, are no members of such a line', async (t) => {
  const facts = { sub: 'alice', token: 'hush' };
  // @ts-expect-error The compiler finds the member, also in a variable.
  const audited: AuditFacts = facts;
  // @ts-expect-error The same for a decision.
  const decided: Partial<DecisionRecord> = facts;
  // @ts-expect-error The members of an error are not known.
  const failed: UnredactedLine = { err: new Error('hush') };
  t.ok([audited, decided, failed].every((line) => line !== undefined));
});
