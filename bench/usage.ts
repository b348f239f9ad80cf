/** Each benchmark, and what it measures. */
export const benches = {
  gateway: 'the CPU of a request, beside other gateways and proxies; the default',
  figures: 'writes the tables and the picture of bench/README.md from a file of results',
  routes: 'files with many routes: start, check and a request',
  'http-auth': 'Basic and Digest beside other servers',
  authorization: 'the authorization service beside other servers',
  'id-tokens': 'the exchange of a code with an ID token, and without',
  'user-keys': 'a key for each user, at the service',
  'user-keys-gateway': 'a key for each user, at the gateway',
  workers: 'one worker and several',
  shares: 'what an attack leaves for other clients',
  cost: 'the CPU of a request in this source tree and in the tree of --base',
  verify: 'one verification of a signature for each kind of key',
} as const;

const options: Readonly<Record<string, string>> = {
  '--rounds N': 'rounds; each contender has one turn in each round (5)',
  '--seconds N': 'seconds of load in each turn (4)',
  '--connections N': 'busy connections (32; authorization: 64, workers: 50)',
  '--only PART,…': 'only these parts of `gateway`',
  '--engine own|undici': 'the engine of the upstream, for `gateway` (own)',
  '--base DIR': 'the other source tree, for `cost`',
  '--results FILE': 'writes the measured parts of `gateway` into this file, or reads the results for `figures`',
  '--json': 'prints the results as JSON; the progress is on standard error',
  '--help, -h': 'prints this text',
};

const table = (rows: Readonly<Record<string, string>>) =>
  Object.entries(rows)
    .map(([name, what]) => `  ${name.padEnd(20)} ${what}`)
    .join('\n');

/** `parts`: of the benchmark `gateway`. */
export function usage(parts: string): string {
  return `Usage: npm run bench -- [BENCHMARK] [OPTION…]

Benchmarks:
${table(benches)}

Options:
${table(options)}

Parts of the benchmark \`gateway\`: ${parts}
bench/README.md has the programs that each benchmark needs, and the figures of the last runs.
`;
}
