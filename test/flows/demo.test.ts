import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t from 'tap';
import { command } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';

const shell = promisify(execFile);

async function hasCurl(): Promise<boolean> {
  return shell('curl', ['--version']).then(
    () => true,
    () => false,
  );
}

t.test('the printed commands of the demo work as they stand, and Ctrl-C ends it', async (t) => {
  if (!(await hasCurl())) {
    t.plan(0, 'curl is not installed');
    return;
  }
  const ports = [await freePort(), await freePort(), await freePort()].map(String) as [string, string, string];
  const demo = command(t, ['demo', '--gateway', ports[0], '--authorization', ports[1], '--api', ports[2]]);
  t.ok(await demo.prints('Ctrl-C ends the demo'), demo.stderr());
  const lines = demo.stdout().match(/^ {4}curl .*$/gm) ?? [];
  const answers = [];
  for (const line of lines) answers.push((await shell('sh', ['-c', `${line} 2>&1`])).stdout);
  t.equal(lines.length, 4);
  t.match(answers[0], '"access_token"');
  t.match(answers[1], 'HTTP/1.1 401');
  t.match(answers[2], 'HTTP/1.1 403');
  t.match(answers[3], 'HTTP/1.1 200');
  t.match(answers[3], '"token_seen":false');
  demo.process.kill('SIGINT');
  t.equal((await demo.ended()).status, 0);
});
