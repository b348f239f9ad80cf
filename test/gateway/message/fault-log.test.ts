import t from 'tap';
import { faultLog } from '../../../src/gateway/message/fault-log.ts';

function open() {
  const lines: object[] = [];
  const write =
    (level: string) =>
    (fields: object, msg: string): void =>
      void lines.push({ level, ...fields, msg });
  const log = { info: write('info'), warn: write('warn'), error: write('error') };
  return { lines, faults: faultLog(log as never, { server: 'main' }, 'fetch the keys') };
}

t.test('a line says what the gateway cannot do, at which URL, why, and what to do', async (t) => {
  const { lines, faults } = open();
  faults.failed('UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'warn', 'https://login.example.com/keys');
  faults.failed('UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'warn', 'https://login.example.com/keys');
  faults.failed('status 500', 'error');
  faults.recovered();
  t.strictSame(lines, [
    {
      level: 'warn',
      server: 'main',
      url: 'https://login.example.com/keys',
      detail: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      remedy:
        'its certificate authority is not trusted here: name it in `tls: { ca }`, or let the server send the whole chain',
      msg: 'cannot fetch the keys',
    },
    { level: 'error', server: 'main', detail: 'status 500', msg: 'cannot fetch the keys' },
    { level: 'info', server: 'main', msg: 'can fetch the keys again' },
  ]);
});
