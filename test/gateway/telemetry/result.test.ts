import t from 'tap';
import { codes } from '../../../src/gateway/message/codes.ts';
import { resultOf } from '../../../src/gateway/telemetry/result.ts';

const page = new URL('../../../src/gateway/console/console-page/result.js', import.meta.url);
const statuses = [0, 200, 304, 400, 401, 404, 499, 500, 502, 599];

t.test('an outage and a client that left are failures, and never refusals', async (t) => {
  t.equal(resultOf('forwarded', 200), 'passed');
  t.equal(resultOf('forwarded', 404), 'passed', 'the answer of the upstream');
  t.equal(resultOf('forwarded', 502), 'failed');
  t.equal(resultOf('answered', 204), 'passed');
  t.equal(resultOf('scope_insufficient', 403), 'refused');
  t.equal(resultOf('authorization_server_unavailable', 503), 'failed');
  t.equal(resultOf('client_gone', 0), 'failed');
});

t.test('the page and the server judge each decision alike', async (t) => {
  const { kindOf } = await import(page.href);
  const kinds = { passed: 'pass', refused: 'refuse', failed: 'fail' } as const;
  for (const code of ['forwarded', 'answered', 'client_gone', ...Object.keys(codes)])
    for (const status of statuses)
      t.equal(kindOf({ code, status }), kinds[resultOf(code, status)], `${code} ${status}`);
  t.equal(kindOf({ code: 'client_gone' }), 'fail', 'no answer began');
});
