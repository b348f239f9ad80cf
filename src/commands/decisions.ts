import { type Command, InvalidArgumentError, Option } from 'commander';
import { printableJsonLine } from '../base/printable.ts';
import type { JsonObject } from '../jwt/json.ts';
import { type AdminOptions, addAdminOptions, replicasOf } from './live/admin-options.ts';
import { decisionLine, stepLines } from './live/decision-line.ts';
import { endWithReader, untilSignal } from './live/ending.ts';
import { acceptExclusions, filterOf } from './live/filter-words.ts';
import { followReplicas, type LiveSink } from './live/follow-replicas.ts';
import { LeftOut } from './live/left-out.ts';
import { sayingWhy } from './live/live-failure.ts';
import { paint } from './live/paint.ts';
import { recentDecisions } from './live/recent-decisions.ts';
import type { Replica } from './live/replica.ts';
import { stateReporter, tellLive } from './live/tell.ts';

interface Options extends AdminOptions {
  readonly follow?: true;
  readonly limit?: number;
  readonly seconds?: number;
  readonly steps?: true;
  readonly json?: true;
}

const HELP = `
A filter has names and values, as in the console: route:orders status:4xx -client:shop /orders. A decision must match
every name. If a name occurs several times, one matching value is enough. A word that begins with - excludes decisions.
Put a value with spaces in double quotes, and the whole word in single quotes for the shell: 'client:"Corner Shop"'.

A gateway keeps decisions only while someone watches it with \`decisions --follow\`, \`gatehouse top\` or the console.
`;

/** `gatehouse decisions [FILTER…]`: the decisions of running gateways, from memory or live. */
export function register(program: Command): void {
  const command = program
    .command('decisions')
    .description('print the decisions of a running gateway: status, path, code or route, client')
    .argument('[filter...]', 'which decisions, such as route:orders, status:4xx or -client:shop; all by default');
  addAdminOptions(command)
    .option('-f, --follow', 'print each decision from now on, until Ctrl-C')
    .option('--limit <n>', 'print at most this many decisions: the last ones, or with --follow the next ones', above0)
    .addOption(new Option('--seconds <n>', 'follow for this many seconds').argParser(above0).implies({ follow: true }))
    .option('--steps', 'print the steps of each decision')
    .option('--json', 'print one JSON object a line')
    .addHelpText('after', HELP)
    .action((words: readonly string[], options: Options) => sayingWhy(() => run(filterOf(words, command), options)));
  acceptExclusions(command);
}

/** Timers of Node.js cannot hold more milliseconds. */
const LARGEST = 2_000_000;

function above0(text: string): number {
  const value = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > LARGEST) throw new InvalidArgumentError(`Write a whole number from 1 to ${LARGEST}.`);
  return value;
}

async function run(filter: string, options: Options): Promise<void> {
  const replicas = await replicasOf(options);
  const print = printer(replicas, options);
  endWithReader();
  if (options.follow) await follow(replicas, filter, options, print);
  else await printRecent(replicas, filter, options, print);
}

type Print = (replica: Replica, row: JsonObject) => void;

function printer(replicas: readonly Replica[], { json, steps }: Options): Print {
  const widest = Math.max(...replicas.map(({ name }) => name.length));
  return ({ name }, row) => {
    const shown = replicas.length > 1 ? name.padEnd(widest) : undefined;
    const text = json
      ? printableJsonLine({ gateway: name, ...row })
      : decisionLine(row, shown, paint) + (steps ? stepLines(row, paint) : '');
    process.stdout.write(text);
  };
}

async function printRecent(replicas: readonly Replica[], filter: string, { limit }: Options, print: Print) {
  const answers = await Promise.all(replicas.map((replica) => recentDecisions(replica, filter)));
  const found = answers.flatMap((answer, at) => {
    const replica = replicas[at] as Replica;
    if (answer.ok) return answer.rows.map((row) => ({ replica, row }));
    tellLive(`${replica.url}: ${answer.detail}`);
    process.exitCode = 1;
    return [];
  });
  const sorted = found.toSorted((one, other) => timeOf(one.row) - timeOf(other.row));
  for (const { replica, row } of sorted.slice(-(limit ?? sorted.length))) print(replica, row);
  if (sorted.length === 0 && answers.some(({ ok }) => ok)) tellLive(NONE);
}

const NONE =
  'no decision in memory matches. A gateway keeps decisions only while someone watches: use --follow, or open the console';

function timeOf({ time }: JsonObject): number {
  return typeof time === 'number' ? time : 0;
}

async function follow(replicas: readonly Replica[], filter: string, { limit, seconds }: Options, print: Print) {
  const over = untilSignal();
  if (seconds !== undefined) setTimeout(() => over.abort(), seconds * 1000).unref();
  const left = new LeftOut(tellLive);
  const report = stateReporter(tellLive);
  let [count, isReached] = [0, false];
  const sink: LiveSink = (replica, event) => {
    report(replica, event);
    if (event.kind === 'connected') isReached = true;
    if (event.kind !== 'batch') return;
    left.add(event.left);
    for (const row of event.rows) {
      if (over.signal.aborted) return;
      print(replica, row);
      if (++count === limit) over.abort();
    }
  };
  await followReplicas(replicas, filter, sink, over.signal);
  left.report();
  // A connection attempt to an address that does not answer cannot be ended otherwise.
  process.exit(isReached ? 0 : 1);
}
