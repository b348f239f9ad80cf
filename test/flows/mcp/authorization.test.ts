import t from 'tap';
import { foundIn } from '../../support/found-in.ts';
import { freePort } from '../../support/free-port.ts';
import { runConformance } from '../../support/mcp/conformance.ts';
import { mcpServer } from '../../support/mcp/server.ts';
import { openService } from './clients/open-service.ts';
import { registered } from './clients/registration.ts';
import { scope, stage } from './clients/stage.ts';

/** The address that the tool prints for a person, once the tool listens for the answer. */
function address(printed: string): string | undefined {
  const [url] = /^http\S+response_type=code\S*$/m.exec(printed) ?? [];
  return printed.includes('Callback server started') ? url : undefined;
}

t.test('the conformance tool accepts our authorization service, and recommends nothing more', async (t) => {
  const { issuer, url, browse } = await stage(t, await mcpServer(t), { service: openService(scope) });
  const port = String(await freePort());
  const client = ['--client-id', registered.id, '--port', port, '--resource', url];
  const { output, results } = runConformance(t, ['authorization', '--url', issuer, ...client]);
  await fetch(await browse(await foundIn(output, address)));
  const checks = await results;
  t.ok(checks.some(({ key, status }) => key.startsWith('authorization-code-grant:') && status === 'SUCCESS'));
  t.strictSame(
    checks.filter(({ status }) => status !== 'SUCCESS'),
    [],
    'no failure and no warning',
  );
});
