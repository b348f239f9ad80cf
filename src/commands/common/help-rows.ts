/** The text below the options in the help of a command. */
export interface HelpRow {
  /** Complete command lines, ready to paste. A test parses each. */
  readonly examples: readonly string[];
  /** True if the command reads a file of ours. Environment variables fill in and override its values. */
  readonly reads?: true;
  /** The secret that it reads from standard input. */
  readonly secret?: 'client secret' | 'keys' | 'password' | 'token';
  /** Its exit statuses, if they differ from the default. */
  readonly exit?: string;
}

const INVALID = '0 done; 1 invalid file, or the program cannot start; 2 wrong usage';

/** One row for each command, by the words that lead to it. */
export const helpRows: Readonly<Record<string, HelpRow>> = {
  demo: { examples: ['gatehouse demo', 'gatehouse demo --gateway 18080 --admin 19901'] },
  init: {
    examples: [
      'gatehouse init',
      'gatehouse init gatehouse --api http://127.0.0.1:9000 --authorization --audience https://api.example.com',
      'gatehouse init --api http://127.0.0.1:9000 --issuer https://auth.example.com --audience https://api.example.com --scope orders.read',
    ],
    secret: 'client secret',
  },
  version: { examples: ['gatehouse version'] },
  gateway: {
    examples: ['gatehouse gateway -c gateway.yaml'],
    reads: true,
    exit: `${INVALID}; 3 stopped, and a request was cut off`,
  },
  authorization: {
    examples: ['gatehouse authorization -c authorization.yaml', 'gatehouse authorization --migrate-only'],
    reads: true,
    exit: `${INVALID}; 3 stopped, and a request was cut off`,
  },
  check: {
    examples: [
      'gatehouse check gateway.yaml authorization.yaml',
      'gatehouse check --strict --no-secrets --format github gateway.yaml',
    ],
    reads: true,
    exit: '0 valid, and with --strict without a warning; 1 invalid, or a test of the file failed; 2 wrong usage',
  },
  explain: {
    examples: [
      'gatehouse explain GET /orders/7 --scope orders.read',
      'gatehouse explain GET /orders/7 --token - < token.txt',
      "gatehouse explain POST https://api.example.com/orders -H 'Content-Type: application/json'",
    ],
    reads: true,
    exit: '0 for every verdict; 1 invalid file; 2 wrong usage',
  },
  routes: { examples: ['gatehouse routes', 'gatehouse routes -c gateway.yaml --json'], reads: true },
  'config show': { examples: ['gatehouse config show', 'gatehouse config show -c gateway.yaml --json'], reads: true },
  diff: {
    examples: [
      'gatehouse diff old.yaml gateway.yaml',
      'gatehouse diff old.yaml gateway.yaml --replay gateway.log',
      'gatehouse diff old.yaml gateway.yaml --target envoy',
    ],
    reads: true,
    exit: '0 nothing became more open; 1 something did (without --allow-widening), or a file is invalid; 2 wrong usage',
  },
  'compile envoy': {
    examples: [
      'gatehouse compile envoy > envoy.yaml',
      'gatehouse compile envoy --out envoy --on-unsupported ask',
      'gatehouse compile envoy --verify http://127.0.0.1:8080 --test-keys test-keys.json',
    ],
    reads: true,
    exit: '0 written; 1 the file is invalid, or a rule cannot be expressed exactly (with --on-unsupported error); 2 wrong usage',
  },
  'compile gateway-api': {
    examples: ['gatehouse compile gateway-api --on-unsupported ask --out cluster'],
    reads: true,
    exit: '0 written; 1 the file is invalid, or a rule cannot be expressed exactly (with --on-unsupported error); 2 wrong usage',
  },
  'compile envoy-gateway': {
    examples: ['gatehouse compile envoy-gateway --on-unsupported ask --out cluster'],
    reads: true,
    exit: '0 written; 1 the file is invalid, or a rule cannot be expressed exactly (with --on-unsupported error); 2 wrong usage',
  },
  'compile istio': {
    examples: ['gatehouse compile istio --on-unsupported ask --out cluster'],
    reads: true,
    exit: '0 written; 1 the file is invalid, or a rule cannot be expressed exactly (with --on-unsupported error); 2 wrong usage',
  },
  health: {
    examples: ['gatehouse health', 'gatehouse health -c authorization.yaml --wait 60s'],
    reads: true,
    exit: '0 ready; 1 not ready, or nothing answers; 2 wrong usage',
  },
  doctor: {
    examples: ['gatehouse doctor', 'gatehouse doctor -c authorization.yaml --json'],
    reads: true,
    exit: '0 no ✗; 1 a ✗, or an invalid file; 2 wrong usage',
  },
  why: {
    examples: [
      'gatehouse why AZ7TJmVt1o2fXw',
      'gatehouse why AZ7TJmVt1o2fXw -c gateway.yaml --json',
      'gatehouse why - < answer.json',
    ],
    reads: true,
  },
  decisions: {
    examples: [
      'gatehouse decisions --follow',
      'gatehouse decisions --follow status:4xx -client:shop --steps',
      'gatehouse decisions --admin http://127.0.0.1:9901 --admin http://127.0.0.1:9902 --follow',
      'gatehouse decisions route:orders --seconds 60 --json',
      'gatehouse decisions --admin https://gateway.example.com:9901 --user alice --password-file password.txt',
    ],
    reads: true,
    exit: '0 done; 1 a gateway does not answer, or refuses; 2 wrong usage',
    secret: 'password',
  },
  top: {
    examples: [
      'gatehouse top',
      'gatehouse top route:orders -client:shop',
      'gatehouse top --admin http://127.0.0.1:9901 --admin http://127.0.0.1:9902',
      'gatehouse top --once --seconds 10 --json',
    ],
    reads: true,
    exit: '0 done; 1 no gateway answers, or all refuse; 2 wrong usage',
  },
  'shadow report': { examples: ['gatehouse shadow report gateway.log', 'gatehouse shadow report - < gateway.log'] },
  protect: {
    examples: [
      'gatehouse protect http://127.0.0.1:9000 --issuer https://auth.example.com',
      'gatehouse protect http://127.0.0.1:9000 --issuer https://auth.example.com --scope orders.read',
    ],
  },
  'import openapi': { examples: ['gatehouse import openapi openapi.yaml > gateway.yaml'] },
  'import htdigest': { examples: ['gatehouse import htdigest .htdigest > users.yaml'] },
  'import htpasswd': {
    examples: [
      'gatehouse import htpasswd .htpasswd > users.yaml',
      'gatehouse import htpasswd .htpasswd -c authorization.yaml',
    ],
  },
  'client add': {
    examples: [
      'gatehouse client add --name "Book Shelf" --redirect-uri https://shelf.example.com/back --scope "books.read books.write"',
      'gatehouse client add --id nightly --grant-type client_credentials --scope books.read',
    ],
    reads: true,
  },
  'client list': { examples: ['gatehouse client list --json'], reads: true },
  'client show': { examples: ['gatehouse client show nightly'], reads: true },
  'client rotate-secret': { examples: ['gatehouse client rotate-secret nightly --overlap 24h'], reads: true },
  'client revoke-tokens': { examples: ['gatehouse client revoke-tokens nightly'], reads: true },
  'client remove': { examples: ['gatehouse client remove nightly'], reads: true },
  'user add': {
    examples: ['gatehouse user add alice --name "Alice Doe" < password.txt'],
    reads: true,
    secret: 'password',
  },
  'user list': { examples: ['gatehouse user list'], reads: true },
  'user set-password': {
    examples: ['gatehouse user set-password alice < password.txt'],
    reads: true,
    secret: 'password',
  },
  'user remove': { examples: ['gatehouse user remove alice'], reads: true },
  'user sign-out': { examples: ['gatehouse user sign-out alice'], reads: true },
  'user rotate-key': { examples: ['gatehouse user rotate-key alice'], reads: true },
  login: {
    examples: [
      'gatehouse login --issuer https://auth.example.com --client-id cli --scope "openid profile orders.read"',
      'gatehouse login --client-id cli --no-browser --json',
      'gatehouse login --client-id cli --client-secret < secret.txt',
    ],
    reads: true,
    secret: 'client secret',
  },
  'token introspect': { examples: ['gatehouse token introspect < token.txt'], reads: true, secret: 'token' },
  'token revoke': { examples: ['gatehouse token revoke < token.txt'], reads: true, secret: 'token' },
  'key list': { examples: ['gatehouse key list'], reads: true },
  'key rotate': { examples: ['gatehouse key rotate'], reads: true },
  'key reseal': { examples: ['gatehouse key reseal'], reads: true },
  'digest set': {
    examples: ['gatehouse digest set alice --realm books --file users.htdigest < password.txt'],
    secret: 'password',
  },
  'digest list': { examples: ['gatehouse digest list --file users.htdigest'] },
  'digest remove': { examples: ['gatehouse digest remove alice --realm books --file users.htdigest'] },
  'api-key create': { examples: ['gatehouse api-key create --file meters.keys --client meter-7 --expires 90d'] },
  'api-key list': { examples: ['gatehouse api-key list --file meters.keys'] },
  'api-key rotate': { examples: ['gatehouse api-key rotate ghk_2bXk9Qz1 --file meters.keys --overlap 7d'] },
  'api-key revoke': { examples: ['gatehouse api-key revoke ghk_2bXk9Qz1 --file meters.keys'] },
  'api-key import': { examples: ['gatehouse api-key import --file meters.keys < old-keys.txt'], secret: 'keys' },
  'hash-password': { examples: ['gatehouse hash-password < password.txt'], secret: 'password' },
  completion: { examples: ['gatehouse completion bash'] },
};

const READS = `
Environment, for values of the file:
  \${NAME} in a value                  is replaced with the variable NAME
  GATEHOUSE__LISTEN=127.0.0.1:8080    overrides \`listen\`; two underscores go one level down
`;

/** The text below the options of a command. */
export function helpBelow({
  examples,
  reads,
  exit = '0 done; 1 not done, with the reason; 2 wrong usage',
}: HelpRow): string {
  const title = examples.length === 1 ? 'Example' : 'Examples';
  const lines = examples.map((line) => `  ${line}\n`).join('');
  return `\n${title}:\n${lines}${reads === true ? READS : ''}\nExit status: ${exit}\n`;
}
