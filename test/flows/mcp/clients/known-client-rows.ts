import { filesIn, textOf, type Values } from '../../../docs/cookbook.ts';

/** The page that says what these clients send. Their makers publish them for no test. */
export const page = 'mcp.md';
export const files = filesIn(page);

/** The client with this name in the files of the page. */
export function fileClient(name: string): Values {
  const found = files.flatMap(({ values }) => values.clients ?? []).find(({ client_name }) => client_name === name);
  if (found === undefined) throw new Error(`the page shows no client ${name}`);
  return found;
}

/** One way of one client to log in, and the address it names there. */
export interface KnownClient {
  readonly client: string;
  readonly kind: 'document' | 'registration' | 'file';
  /** The redirect addresses of the document or the registration. */
  readonly addresses: readonly string[];
  readonly sends: string;
  /** The name of the client in the file of the page, if it differs. */
  readonly inFile?: string;
  /** Parts of the client's row of the page. */
  readonly shown: readonly string[];
}

const web = 'https://claude.ai/api/mcp/auth_callback';
const vscode = ['http://127.0.0.1/', 'https://vscode.dev/redirect'];
export const inspector = ['http://localhost:6274/oauth/callback', 'http://localhost:6274/oauth/callback/debug'];

const row = (
  client: string,
  kind: KnownClient['kind'],
  addresses: readonly string[],
  sends: string,
  shown: readonly string[],
): KnownClient => ({ client, kind, addresses, sends, shown });

const code = 'http://localhost:54321/callback';

export const knownClients: readonly KnownClient[] = [
  row('Claude on the web', 'document', [web], web, [web, 'document or']),
  row('Claude on the web', 'registration', [web], web, ['or registration']),
  { ...row('Claude on the web', 'file', [], web, [fileClient('Claude').client_id]), inFile: 'Claude' },
  row('Claude Code', 'document', ['http://localhost/callback'], code, ['http://localhost:PORT/callback', 'any port']),
  row('Claude Code', 'registration', [code], code, ['or registration']),
  row('Claude Code', 'file', [], 'http://localhost:8088/callback', [fileClient('Claude Code').client_id]),
  ...['http://127.0.0.1:33418/', 'http://127.0.0.1:50123/', 'https://vscode.dev/redirect'].flatMap((sends) => [
    row('VS Code', 'document', vscode, sends, [...vscode, 'document']),
    row('VS Code', 'registration', vscode, sends, ['registration', '33418']),
  ]),
  ...inspector.map((sends) =>
    row('MCP Inspector', 'registration', inspector, sends, [
      'registration',
      '/oauth/callback',
      '/oauth/callback/debug',
      'http://localhost:6274',
    ]),
  ),
];

/** The client's row in the table of the page, or '' without one. */
export function rowOf(client: string): string {
  const found = textOf(page).split('\n');
  return found.find((line) => line.startsWith(`| ${client}`)) ?? '';
}
