import t from 'tap';
import { conformance, failures } from '../../support/mcp/conformance.ts';
import { lenientMcpServer } from '../../support/mcp/server.ts';
import { guarded, hosts } from './guarded.ts';

const scenarios = [
  'http-header-validation',
  'http-custom-header-server-validation',
  // `Mcp-Name` repeats the id of the task (SEP-2663).
  'tasks-request-headers',
];

for (const scenario of scenarios)
  t.test(`${scenario}: the gateway checks the headers in front of a server that does not`, async (t) => {
    const url = await lenientMcpServer(t);
    t.not(failures(await conformance(t, url, { scenario })).length, 0, 'the server itself fails');
    for (const host of hosts) {
      const through = await conformance(t, await guarded(t, url, host), { scenario });
      t.strictSame(failures(through), [], `host: ${host}`);
    }
  });
