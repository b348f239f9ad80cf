import t from 'tap';
import { conformance, failures, lost, passed, type Selection } from '../../support/mcp/conformance.ts';
import { mcpServer } from '../../support/mcp/server.ts';
import { guarded, hosts } from './guarded.ts';

/** Runs the scenarios of three revisions, three times each. Some scenarios wait for seconds that nothing arrives. */
t.setTimeout(180_000);

/** The tool has no list of what 2025-06-18 requires, so all scenarios of this revision run. */
const revisions: Readonly<Record<string, Selection>> = {
  '2025-06-18': { 'spec-version': '2025-06-18' },
  '2025-11-25': { requirements: '2025-11-25' },
  '2026-07-28': { requirements: '2026-07-28' },
};

for (const [revision, selection] of Object.entries(revisions))
  t.test(`revision ${revision}`, async (t) => {
    const url = await mcpServer(t);
    const direct = await conformance(t, url, selection);
    t.strictSame(failures(direct), [], 'the server itself passes');
    for (const host of hosts)
      t.test(`every check that passes without the gateway passes with it, host: ${host}`, async (t) => {
        const through = await conformance(t, await guarded(t, url, host), selection);
        t.comment(`${passed(direct)} pass without the gateway, ${passed(through)} with it`);
        t.strictSame(lost(direct, through), []);
      });
  });
