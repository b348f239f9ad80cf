import type { Command } from 'commander';
import { formatProblems, loadGatewayText } from '../config/load/load.ts';
import { scalar } from '../config/words/yaml-text.ts';
import { apiOf, apiUrlFault, everythingYaml } from './common/api-url.ts';
import { scopeOption } from './common/scope-option.ts';
import { serve } from './gateway.ts';

interface Options {
  readonly issuer: string;
  readonly scope?: string;
  readonly listen: string;
}

/** `gatehouse protect URL --issuer URL`: starts a gateway that refuses nothing yet, and prints the equal file. */
export function register(program: Command): void {
  program
    .command('protect')
    .description('start a gateway in front of URL in shadow mode, and print its YAML')
    .argument('<url>', 'the API, http: or https:')
    .requiredOption('--issuer <url>', 'the authorization server that issues the tokens')
    .addOption(scopeOption('the scope that a token must have; without it, any valid token is accepted'))
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
# Shadow mode refuses nothing, and logs what it would refuse. \`gatehouse shadow report LOG\` sums up the log. To refuse
# these requests, write: mode: enforce
mode: shadow
authorization_servers:
  main:
    issuer: ${scalar(issuer)}
    # The API that tokens must be for (\`aud\`). Without \`audience\`, the gateway accepts the tokens for every other API of
    # this issuer, and \`gatehouse check\` warns about this. If you want to accept these tokens, write \`audience: any\`.
    # audience: https://api.example.com
    # The gateway's client for introspection of tokens that are no JWTs:
    # client_id: gateway
    # client_secret: "\${GATEWAY_SECRET}"
# In enforce mode, the gateway tells the API who the caller is, in X-Auth-Subject and other X-Auth-… headers. Enforce
# mode also drops all X-Auth-… headers of callers. The shadow report counts these headers of callers. If the API needs
# them, set another prefix:
# defaults: { upstream: api, identity_headers: { prefix: X-Gatehouse-, set: { X-Gatehouse-Subject: sub } } }
${everythingYaml(apiOf(text), scope)}`;
}
