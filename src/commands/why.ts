import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { printableJson, printableValue } from '../base/printable.ts';
import { formatProblems } from '../config/load/load.ts';
import { type LoadedTicketFile, loadTicketFile } from '../config/load/ticket-file.ts';
import { entry, isCode } from '../gateway/message/codes.ts';
import { operatorRemedy } from '../gateway/message/operator-remedy.ts';
import type { TicketRecord } from '../gateway/telemetry/ticket-record.ts';
import { type OpenedTicket, readTicket, ticketKeys } from '../gateway/telemetry/tickets.ts';
import { parseJsonObject } from '../jwt/json.ts';
import { gatewayOption } from './common/config-option.ts';
import { listenerConnection } from './common/listener-connection.ts';
import { listenerUrl } from './common/listener-url.ts';
import { openAtAdmin } from './explain/ticket-at-admin.ts';

/** `gatehouse why TICKET --config FILE`: what the gateway knew when it refused a request. Exit status 1: cannot open. */
export function register(program: Command): void {
  program
    .command('why')
    .description('open the ticket of a refusal: which route, which step, what was missing')
    .argument(
      '<ticket>',
      'the member `ticket` of the answer; `-` reads the ticket or the whole answer from standard input',
    )
    .addOption(gatewayOption(', with the `ticket_keys` that sealed the ticket'))
    .option('--json', 'print the record as JSON')
    .action(run);
}

async function run(word: string, { config: file, json }: { config: string; json?: true }): Promise<void> {
  const ticket = word === '-' ? ticketIn(readFileSync(0, 'utf8')) : word;
  const loaded = loadTicketFile(file);
  if (!loaded.ok) {
    giveUp(formatProblems(loaded.problems));
    return;
  }
  const opened = await open(ticket.trim(), loaded, file);
  if (opened.kind === 'opened') print(opened.record, json);
  else giveUp(`gatehouse: ${sentence(opened.kind, ticket.trim(), file, loaded)}\n`);
}

/** Takes the member `ticket` of an answer (RFC 9457). Any other text is the ticket itself. */
function ticketIn(text: string): string {
  const answer = parseJsonObject(Buffer.from(text));
  return typeof answer?.ticket === 'string' ? answer.ticket : text;
}

/** Without `ticket_keys` in the file, only the process that made a ticket has the key. So this asks that process. */
function open(ticket: string, { config }: Sound, file: string): OpenedTicket | ReturnType<typeof openAtAdmin> {
  const opened = readTicket(ticketKeys(config.ticket_keys), ticket);
  const { admin, ticket_keys } = config;
  if (opened.kind !== 'unknown_key' || ticket_keys !== undefined || admin === undefined) return opened;
  return openAtAdmin(listenerUrl(admin, `/why/${ticket}`), listenerConnection(admin, dirname(resolve(file))));
}

function print(record: TicketRecord, json: true | undefined): void {
  process.stdout.write(json ? printableJson(record) : inWords(record));
}

type Failure = Exclude<Awaited<ReturnType<typeof open>>['kind'], 'opened'>;
type Sound = Extract<LoadedTicketFile, { ok: true }>;

const failures: Readonly<Record<Exclude<Failure, 'unknown_key' | 'unreachable' | 'protected'>, string>> = {
  not_a_ticket: 'this is not a whole ticket. Pass the member `ticket` of an answer, without the quotes',
  broken: 'the ticket is damaged or incomplete',
};

const NEW_KEY = `For later tickets, run: openssl rand -base64 32 > ticket.key, and write ticket_keys: ["\${file:ticket.key}"] in the file`;

/** The form of the gateway's own ids: a random part, and a count. Traces and other gateways use other forms. */
const REQUEST_ID = /^[\w-]{12}-[0-9a-z]{1,12}$/;

function sentence(kind: Failure, ticket: string, file: string, { config }: Sound): string {
  if (kind === 'not_a_ticket' && REQUEST_ID.test(ticket))
    return `this is a request id: find the line with "request_id":"${ticket}" in the gateway's log. This command needs the ticket: pass the member \`ticket\` of the answer that has this request id`;
  if (kind === 'not_a_ticket' || kind === 'broken') return failures[kind];
  const { admin, ticket_keys } = config;
  if (ticket_keys !== undefined) return `none of the \`ticket_keys\` of ${file} opens the ticket`;
  const alone = `${file} has no \`ticket_keys\`, so only the process that made a ticket can open it`;
  if (admin === undefined) return `${alone}. ${NEW_KEY}; or give the gateway an \`admin\` listener`;
  const url = listenerUrl(admin, '');
  if (kind === 'protected')
    return `${alone}, and the gateway at ${url} answers only to operators who are logged in: open ${url}/why/${ticket} in the browser where you use the console. ${NEW_KEY}`;
  return kind === 'unreachable'
    ? `${alone}, and no gateway answers at ${url}. Run this command on the gateway's machine while the gateway runs. ${NEW_KEY}`
    : `${alone}, and the gateway at ${url} is another process, or has restarted since it made the ticket. ${NEW_KEY}`;
}

const labels: readonly (readonly [keyof TicketRecord, string])[] = [
  ['time', 'time'],
  ['request_id', 'request id'],
  ['route', 'route'],
  ['operation', 'operation'],
  ['step', 'step'],
  ['reason', 'reason'],
  ['claim', 'claim'],
  ['found', 'found'],
  ['expected', 'expected'],
  ['difference', 'difference'],
  ['scope_needed', 'needed scope'],
  ['scope_missing', 'missing scope'],
  ['cache', 'cache'],
  ['subject_hash', 'subject hash'],
  ['client', 'client'],
  ['scope_held', 'held scope'],
];

function inWords(record: TicketRecord): string {
  const { method = '', host = '', path = '', code = '', route, at } = record;
  const entryOf = isCode(code) ? entry(code) : undefined;
  const shown: TicketRecord = {
    ...record,
    ...(route !== undefined && at !== undefined && { route: `${route}  ${at}` }),
  };
  const lines = labels.flatMap(([member, label]) => {
    const value = shown[member];
    return value === undefined ? [] : [`  ${label.padEnd(14)}${value}`];
  });
  const title = [entryOf?.status, code].filter(Boolean).join(' ');
  const request = method === '' ? '' : `   ${method} ${host}${path}`;
  const advice = isCode(code) ? [`  to do         ${operatorRemedy(code, record.reason)}`] : [];
  return `${[`${title}${request}`, ...(entryOf === undefined ? [] : [`  ${entryOf.text}`]), ...lines, ...advice].map(printableValue).join('\n')}\n`;
}

function giveUp(message: string): void {
  process.stderr.write(message);
  process.exitCode = 1;
}
