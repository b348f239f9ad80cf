import type { Command } from 'commander';
import { formatProblems, loadGatewayText } from '../config/load/load.ts';
import { apiOf, apiUrlFault, everythingYaml } from './common/api-url.ts';
import { scalar } from './common/yaml-text.ts';
import { serve } from './gateway.ts';

interface Options {
  readonly issuer: string;
  readonly scope?: string;
  readonly listen: string;
}

/** `gatehouse protect URL --issuer URL`: a gateway at once that refuses nothing yet, and the file that it equals. */
export function register(program: Command): void {
  program
    .command('protect')
    .description('a gateway in front of URL at once, in shadow mode; prints the YAML that it equals')
    .argument('<url>', 'the API, http: or https:')
    .requiredOption('--issuer <url>', 'the authorization server whose tokens count')
    .option('--scope <scope>', 'the scope that a token must have; without it, any valid token is accepted')
    .option('--listen <address>', 'where clients connect', '127.0.0.1:8080')
    .action(run);
}

async function run(url: string, options: Options, command: Command): Promise<void> {
  const fault = apiUrlFault(url);
  if (fault !== undefined) command.error(`error: ${fault}`);
  const yaml = gatewayYaml(url, options);
  const loaded = loadGatewayText(yaml, { file: 'protect.yaml' });
  if (!loaded.ok) {
    process.stderr.write(formatProblems(loaded.problems));
    process.exitCode = 1;
    return;
  }
  process.stdout.write(yaml);
  await serve(loaded);
}

function gatewayYaml(text: string, { issuer, scope, listen }: Options): string {
  return `# Save this as gateway.yaml, and run it with: gatehouse gateway --config gateway.yaml
version: 1
listen: ${scalar(listen)}
# Nothing is refused yet: what would be is logged, and \`gatehouse shadow report LOG\` sums it up. Then: enforce
mode: shadow
authorization_servers:
  main:
    issuer: ${scalar(issuer)}
    # Whom the tokens must be for (\`aud\`). Without it those for every other API of this issuer count too, and
    # \`gatehouse check\` warns of that; \`audience: any\` says that it is meant.
    # audience: https://api.example.com
    # For tokens that are no JWTs, who the gateway is when it asks about them:
    # client_id: gateway
    # client_secret: "\${GATEWAY_SECRET}"
# Once it enforces, the gateway tells the API who calls, in X-Auth-Subject and others, and drops X-Auth-… headers from
# callers. The shadow report counts these headers. If the API needs them, set another prefix:
# defaults: { upstream: api, identity_headers: { prefix: X-Gatehouse-, set: { X-Gatehouse-Subject: sub } } }
${everythingYaml(apiOf(text), scope)}`;
}
