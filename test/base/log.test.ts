import { Writable } from 'node:stream';
import t from 'tap';
import type { AuditFacts } from '../../src/authorization/telemetry/audit.ts';
import { buildLog, knownLines, type SecretField } from '../../src/base/log.ts';
import type { DecisionRecord } from '../../src/gateway/telemetry/decision-record.ts';

function logTo(lines: Record<string, unknown>[]) {
  const write = (line: Buffer, _encoding: string, done: () => void) => {
    lines.push(JSON.parse(String(line)));
    done();
  };
  return buildLog({ level: 'info', format: 'json' }, new Writable({ write }));
}

t.test('a line shows no member with the name of a secret, also in an object and in an object of it', async (t) => {
  const lines: Record<string, unknown>[] = [];
  logTo(lines).info({ token: 'a', of: { password: 'b', more: { cookie: 'c' } }, kept: 'd' }, 'said');
  const hidden = '[redacted]';
  t.match(lines[0], { token: hidden, of: { password: hidden, more: { cookie: hidden } }, kept: 'd', msg: 'said' });
});

t.test('lines of known members are written as they are, at the level of the log', async (t) => {
  const lines: Record<string, unknown>[] = [];
  const known = knownLines(logTo(lines));
  known.debug({ code: 'none' }, 'said');
  known.info({ code: 'token_expired', of: 'all' }, 'said');
  t.match(lines, [{ code: 'token_expired', of: 'all', msg: 'said', level: 30 }]);
});

type Named<Line> = Extract<keyof Line, SecretField>;
type None<Names> = [Names] extends [never] ? true : Names;

t.test('no member of a decision or of an audit event has the name of a secret', async (t) => {
  // The compiler decides: with such a member, the type is its name.
  const decisions: None<Named<DecisionRecord>> = true;
  const audited: None<Named<AuditFacts>> = true;
  t.ok(decisions && audited);
});
