import t from 'tap';
import { conformance, failures, lost, passed } from '../../support/mcp/conformance.ts';
import { mcpServer } from '../../support/mcp/server.ts';
import { guarded, HAS_MCP, type Host, hosts } from './guarded.ts';

/** Runs the scenarios of two revisions, three times each. Some scenarios wait for seconds that nothing arrives. */
t.setTimeout(180_000);

/** Without `mcp`, nobody sees the host of an attacker after the gateway has replaced it. */
const excused = (host: Host) => (HAS_MCP || host === 'preserve' ? [] : ['localhost-host-rebinding-rejected']);

for (const requirements of ['2025-11-25', '2026-07-28'])
  t.test(`revision ${requirements}`, async (t) => {
    const url = await mcpServer(t);
    const direct = await conformance(t, url, { requirements });
    t.strictSame(failures(direct), [], 'the server itself passes');
    for (const host of hosts)
      t.test(`every check that passes without the gateway passes with it, host: ${host}`, async (t) => {
        const through = await conformance(t, await guarded(t, url, host), { requirements });
        t.comment(`${passed(direct)} pass without the gateway, ${passed(through)} with it`);
        const missing = lost(direct, through);
        t.strictSame(
          missing.filter((each) => !excused(host).some((id) => each.includes(id))),
          [],
        );
        t.equal(missing.length, excused(host).length);
      });
  });
