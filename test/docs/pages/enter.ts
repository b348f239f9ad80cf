import type { Block } from './blocks.ts';
import { asShown, type Followed } from './place.ts';
import { forgetLog, ready, staysRunning } from './programs.ts';
import { promised, statementsOf } from './statements.ts';

/** Every statement of a block, with the exit status and the HTTP status that its comment promises. */
export async function enterAll({ text, place }: Block, followed: Followed): Promise<void> {
  followed.printed = '';
  for (const statement of statementsOf(text)) {
    used(statement, followed);
    if (/^npm start\b/.test(statement)) await startDemo(followed);
    else await enterOne(statement, place, followed);
  }
}

function used(statement: string, { unused }: Followed): void {
  for (const name of unused.keys()) if (statement.includes(name)) unused.delete(name);
}

async function enterOne(statement: string, place: string, followed: Followed): Promise<void> {
  const { t, shell } = followed;
  const line = listening(followed.moved(statement), followed);
  if (staysRunning(statement)) forgetLog(line, followed.directory);
  const { status, output } = await shell.enter(line);
  const shown = asShown(output, followed);
  followed.printed += shown;
  if (staysRunning(statement)) return ready(line, followed);
  const { exit, http } = promised(statement);
  if (status !== exit) t.fail(`${place}: exit ${status}, not ${exit}: ${statement}\n${shown}`);
  else t.pass(`${place}: ${statement}`);
  if (http !== undefined) t.match(shown, new RegExp(`^HTTP/1\\.1 ${http} `, 'm'), `${place}: ${statement}`);
}

const demoPorts = {
  gateway: '8080',
  authorization: '8081',
  api: '9000',
  client: '8082',
  admin: '9901',
  health: '9900',
};

/** What `npm start` runs, on free ports. It stays in the foreground until the page says Ctrl-C. */
async function startDemo(followed: Followed): Promise<void> {
  const { ports, shell } = followed;
  const where = Object.entries(demoPorts)
    .map(([option, port]) => `--${option} ${ports[port]}`)
    .join(' ');
  const line = `./bin/gatehouse.js demo ${where} > demo.log & FOREGROUND=$!`;
  await shell.enter(line);
  await ready(line, followed);
}

export async function endForeground({ t, shell }: Followed): Promise<void> {
  const { output } = await shell.enter(
    '[ -z "$FOREGROUND" ] || { kill -INT $FOREGROUND; wait $FOREGROUND; echo "ended: $?"; }',
  );
  t.match(output, /ended: 0/, 'Ctrl-C ends what is in the foreground');
  await shell.enter('unset FOREGROUND');
}

/** `protect` listens at 8080 by default. */
function listening(statement: string, { ports }: Followed): string {
  return statement.replace(/(?<=gatehouse\.js protect )(?!.*--listen)/, `--listen 127.0.0.1:${ports['8080']} `);
}
