import { setTimeout as pause } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type AdminOptions, addAdminOptions, replicasOf } from './live/admin-options.ts';
import { endWithReader, untilSignal } from './live/ending.ts';
import { acceptExclusions, filterOf } from './live/filter-words.ts';
import { sayingWhy } from './live/live-failure.ts';
import type { Replica } from './live/replica.ts';
import { tellLive } from './live/tell.ts';
import { fullScreen } from './top/full-screen.ts';
import { isFullScreen } from './top/screen.ts';
import { faultOf, summaryJson, summaryLine, summaryPage } from './top/summary-text.ts';
import { type View, Watch } from './top/watch.ts';

interface Options extends AdminOptions {
  readonly once?: true;
  readonly seconds: number;
  readonly json?: true;
}

const HELP = `
Keys: q quit, p pause, / filter, f only refusals. The rates count every request. The tables count the requests that match
the filter, on average at most 200 a second from each process of a gateway. Without a terminal, the command prints one
line a second. The keys work only if standard input is a terminal. If you pipe the password of --user to the command,
the keys do not work. Enter the password, or use --password-file.
`;

/** `gatehouse top`: rates, routes, codes, clients and the newest decisions of running gateways. */
export function register(program: Command): void {
  const command = program
    .command('top')
    .description('show the rates, routes, refusals and clients of a running gateway, live in full screen')
    .argument('[filter...]', 'which decisions the tables count, such as route:orders or -client:shop; all by default');
  addAdminOptions(command)
    .option('--once', 'print one summary after a few seconds, and exit')
    .addOption(
      new Option('--seconds <n>', 'how many seconds --once watches after it has connected')
        .argParser(seconds)
        .default(3),
    )
    .option('--json', 'print summaries as JSON, one object a line')
    .addHelpText('after', HELP)
    .action((words: readonly string[], options: Options) => sayingWhy(() => run(filterOf(words, command), options)));
  acceptExclusions(command);
}

function seconds(text: string): number {
  const value = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (value < 1) throw new InvalidArgumentError('Write a whole number from 1 to 9999.');
  return value;
}

async function run(filter: string, options: Options): Promise<void> {
  const replicas = await replicasOf(options);
  endWithReader();
  const view = await viewed(replicas, filter, options);
  const faults = view.gateways.flatMap(faultOf);
  for (const fault of faults) tellLive(fault);
  // A connection attempt to an address that does not answer cannot be ended otherwise.
  process.exit(faults.length < view.gateways.length ? 0 : 1);
}

/** Returns the last view. */
function viewed(replicas: readonly Replica[], filter: string, options: Options): Promise<View> {
  const { signal } = untilSignal();
  if (!options.once && !options.json && isFullScreen()) return fullScreen(replicas, filter, signal);
  return printed(replicas, filter, options, signal);
}

function ended(over: AbortSignal): Promise<void> {
  return new Promise((resolve) => over.addEventListener('abort', () => resolve(), { once: true }));
}

/** Prints a summary each second, or one summary. */
async function printed(replicas: readonly Replica[], filter: string, options: Options, over: AbortSignal) {
  const { once, json } = options;
  const watch = new Watch(replicas, filter);
  const rest = (milliseconds: number) => pause(milliseconds, undefined, { signal: over }).catch(() => {});
  if (once) await Promise.race([watch.settled, ended(over)]);
  while (!over.aborted) {
    await Promise.race([rest((once ? options.seconds : 1) * 1000), watch.ended]);
    const view = watch.view();
    if (over.aborted || watch.isRefused) break;
    if (json) process.stdout.write(summaryJson(view, filter));
    else if (!once) process.stdout.write(summaryLine(view));
    else if (watch.isConnected) process.stdout.write(summaryPage(view));
    if (once) break;
  }
  return watch.view();
}
