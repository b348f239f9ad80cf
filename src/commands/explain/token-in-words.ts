import type { ExplainedToken } from '../../gateway/explain/explained-token.ts';
import type { TokenCheck } from '../../gateway/explain/token-check.ts';

const kinds: Readonly<Record<ExplainedToken['kind'], string>> = {
  jwt: 'a JWT',
  opaque: 'opaque',
  malformed: 'of an unknown form',
};

/** The kind of the token, and the server whose block it is compared with. */
export function tokenTitle({ kind, server, checks }: ExplainedToken): string {
  const by = server === undefined ? '' : `, compared with \`${server}\``;
  const isSigned = checks.some(({ name, mark }) => name === 'kid' && mark === 'fits');
  return `Token: ${kinds[kind]}${by}${kind === 'jwt' && !isSigned ? '; its content is not verified' : ''}`;
}

const marks: Readonly<Record<TokenCheck['mark'], string>> = { fits: '✓', fails: '✗', unknown: '?' };

/** Characters of the widest value column. */
const WIDEST = 40;

/** One line for each check: the value in the token, and the value that the file expects. */
export function tokenLines({ checks }: ExplainedToken): readonly string[] {
  const head = { name: 'check', found: 'found', expected: 'expected' };
  const rows = [head, ...checks];
  const width = (texts: readonly string[]) => Math.min(WIDEST, Math.max(...texts.map(({ length }) => length)));
  const [names, values] = [width(rows.map(({ name }) => name)), width(rows.map(({ found }) => found))];
  const line = (mark: string, { name, found, expected }: typeof head) =>
    `${mark} ${name.padEnd(names)}  ${found.padEnd(values)}  ${expected}`;
  return [line(' ', head), ...checks.map((check) => `${line(marks[check.mark], check)}${noteOf(check)}`)];
}

function noteOf({ note }: TokenCheck): string {
  return note === undefined ? '' : `  (${note})`;
}
