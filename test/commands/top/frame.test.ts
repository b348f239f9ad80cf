import t from 'tap';
import { frame } from '../../../src/commands/top/frame.ts';
import { sparkline } from '../../../src/commands/top/sparkline.ts';
import { Tally } from '../../../src/commands/top/tally.ts';
import { begun } from '../../../src/commands/top/ui-state.ts';

const plain = (_style: unknown, text: string) => text;

function viewOf(rows: readonly object[]) {
  const tally = new Tally(0);
  tally.add(
    { gateway: 'g', rows: rows.map((row) => ({ ...row })), totals: { passed: 9, refused: 1, failed: 0 }, left: 4 },
    0,
  );
  return { gateways: [{ gateway: 'g', state: 'connected' as const }], summary: tally.summary(1000) };
}

const busy = viewOf(
  Array.from({ length: 90 }, (_, at) => ({
    time: at,
    status: 200 + at,
    method: 'GET',
    path: `/${'long/'.repeat(at)}`,
    route: `route-${at % 20}`,
    code: at % 3 === 0 ? `code_${at}` : 'forwarded',
    client: `client-${at}`,
    milliseconds: at * 1000,
  })),
);

t.test('a frame has exactly the size of the window, however much there is to show', async (t) => {
  for (const view of [busy, viewOf([])])
    for (let columns = 1; columns <= 240; columns += 7)
      for (let rows = 1; rows <= 70; rows += 3) {
        const lines = frame(view, begun('route:x'), { columns, rows }, plain);
        const widest = Math.max(...lines.map(({ length }) => length));
        if (lines.length !== rows || widest > columns) t.fail(`${columns}×${rows}: ${widest}×${lines.length}`);
      }
});

t.test('at 60×15, it shows rates, three tables, decisions and keys', async (t) => {
  const text = frame(busy, begun(''), { columns: 60, rows: 15 }, plain).join('\n');
  t.match(text, /^passed .*\nrefused .*\nfailed /m);
  t.match(text, /^ROUTES .*CODES .*CLIENTS .*\nroute-0 +5 +\d/m);
  t.match(text, /^NEWEST {3}left out: 4 requests, which only the rates count\n\d\d:\d\d:\d\d 289 GET {4}\/long/m);
  t.match(text, /q quit {3}p pause/);
});

t.test('a sparkline has the full height for the largest value, and nothing only for 0', async (t) => {
  t.equal(sparkline([0, 1, 50, 100], 4), ' ▁▄█');
  t.equal(sparkline([5, 1, 2], 2), '▄█');
  t.equal(sparkline([0, 0], 9), '  ');
});
