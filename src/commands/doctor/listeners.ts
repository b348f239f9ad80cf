import { createServer } from 'node:net';
import { Agent } from 'undici';
import { CannotListen, listenAt } from '../../base/listen.ts';
import { isLoopback } from '../../config/words/host.ts';
import type { Address } from '../../config/words/schema.ts';
import { jsonFetcher } from '../../gateway/server-client/fetch-json.ts';
import { metadata } from '../../gateway/server-client/metadata.ts';
import { connectOptions } from '../../gateway/server-client/trust.ts';
import { askReady, type ProgramReadiness } from '../common/ask-ready.ts';
import { listenerUrl } from '../common/listener-url.ts';
import { faultRemedy } from './faults.ts';
import { bad, type DoctorProbe, doubtful, good, type Seen } from './finding.ts';
import type { DoctorContext, LoadedGatewayFile, LoadedServiceFile } from './subject.ts';

export interface IssuerQuestion {
  readonly issuer: string;
  readonly development: boolean;
  /** Ask this origin instead of the issuer's. */
  readonly at?: string;
}

/**
 * Why the answering server is not the issuer (RFC 8414 §3.3), by the gateway's own rules; undefined: it is the issuer.
 */
export async function issuerAt(
  { issuer, development, at }: IssuerQuestion,
  { clock, opened }: Pick<DoctorContext, 'clock' | 'opened'>,
): Promise<string | undefined> {
  const agent = opened.adopt(new Agent({ connect: connectOptions({ kind: 'system' }) }), (each) => each.destroy());
  const ask = jsonFetcher(agent);
  const fetch: typeof ask = (wanted) => ask(at === undefined ? wanted : { ...wanted, url: moved(wanted.url, at) });
  const about = metadata({ issuer, development, fetch, clock, ttl: 0 });
  const found = await about.endpoint('jwks_uri');
  return typeof found === 'string' ? undefined : found.detail;
}

function moved(url: string, origin: string): string {
  const { pathname, search } = new URL(url);
  return `${origin}${pathname}${search}`;
}

/** Clients and gateways reach the service by its issuer identifier, through any proxy in front. */
export function issuer(subject: LoadedServiceFile, around: DoctorContext): readonly DoctorProbe[] {
  return [{ about: `issuer ${subject.config.issuer}`, look: () => lookAtIssuer(subject.config, around) }];
}

type Named = LoadedServiceFile['config'];

async function lookAtIssuer({ issuer: named, listen, development }: Named, around: DoctorContext): Promise<Seen> {
  const fault = await issuerAt({ issuer: named, development }, around);
  if (fault === undefined) return good('reachable at its issuer URL, and its metadata name this issuer');
  const url = new URL(named);
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  if (isLoopback(url.hostname) && url.protocol === 'http:' && listen.port !== 0 && port !== listen.port)
    return bad(
      `${fault}; the issuer has the port ${port} of this machine, and \`listen\` has ${listen.port}`,
      'use the same port for both, or put a proxy in front',
    );
  if (listen.port === 0 || (await runs(named, listen, development, around)))
    return bad(
      `the service runs at ${listenerUrl(listen, '')}, and is not reachable at its issuer URL: ${fault}`,
      faultRemedy(
        fault,
        'let the proxy in front forward the whole path, including the well-known part (RFC 8414 §3.1)',
      ),
    );
  return doubtful(`the service does not run now: ${fault}`, 'start the service, and run this command again');
}

async function runs(
  named: string,
  listen: Named['listen'],
  development: boolean,
  around: DoctorContext,
): Promise<boolean> {
  return (await issuerAt({ issuer: named, development, at: listenerUrl(listen, '') }, around)) === undefined;
}

type Listening = LoadedGatewayFile | LoadedServiceFile;

const MOVE = 'stop the program that listens there, or choose another address';

/** Each address is free, or a program of this file uses it. */
export function listeners(subject: Listening, around: DoctorContext): readonly DoctorProbe[] {
  const { health, admin } = subject.config;
  const asked = health ?? admin;
  const answer = asked && askReady(asked, subject.directory);
  const holder: Holder = {
    runs: async () => (await answer)?.kind === 'ready',
    judge: () => answer?.then(judgeHolder) ?? holderWithoutHealth(subject, around),
  };
  return addressesOf(subject).map(([name, address]) => ({
    about: `${name} ${shown(address)}`,
    look: () => lookAt(address, holder),
  }));
}

/** The program that may run with this file. */
interface Holder {
  runs(): Promise<boolean>;
  /** If an address is taken. */
  judge(): Promise<Seen>;
}

const UNUSED = doubtful(
  'no program listens there, although a Gatehouse runs with the `health` or `admin` address of this file',
  'restart it: it reads a new address only at its start',
);

function shown({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function addressesOf({ config }: Listening): readonly (readonly [string, Address])[] {
  const { listen, admin, health } = config;
  const decision = 'decision' in config ? config.decision : undefined;
  const grpc = 'decision_grpc' in config ? config.decision_grpc : undefined;
  const receiver = 'receiver' in config ? config.receiver?.listen : undefined;
  const all: readonly (readonly [string, Address | undefined])[] = [
    ['listen', listen],
    ['admin', admin],
    ['health', health],
    ['decision', decision],
    ['decision.grpc', grpc],
    ['receiver.listen', receiver],
  ];
  return all.flatMap(([name, address]) => (address === undefined ? [] : [[name, address] as const]));
}

/** Listens for a moment, because only this shows whether the address is free. */
async function lookAt(address: Address, holder: Holder): Promise<Seen> {
  if (address.port === 0) return good('uses any free port');
  const server = createServer((socket) => socket.destroy());
  try {
    await listenAt(server, address);
    return (await holder.runs()) ? UNUSED : good('free');
  } catch (error) {
    if (!(error instanceof CannotListen)) throw error;
    return isTaken(error) ? await holder.judge() : refusal(error);
  } finally {
    server.close();
  }
}

function isTaken({ cause }: CannotListen): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
}

/** The same text as the program's own: the address, the fault, the remedy. */
function refusal({ message }: CannotListen): Seen {
  const [, what = message, remedy = 'use an address of this machine, or 0.0.0.0 for all'] =
    /^\S+ (.*?)(?:: (.*))?$/.exec(message) ?? [];
  return bad(what, remedy);
}

function judgeHolder(answer: ProgramReadiness): Seen {
  if (answer.kind === 'ready') return good('held by a Gatehouse that is ready');
  if (answer.kind === 'silent') return bad(`held by another program: no Gatehouse answers at ${answer.url}`, MOVE);
  return doubtful(
    `held by a Gatehouse that is not ready: ${answer.cause ?? answer.reason ?? 'the reason is unknown'}`,
    'see its log for details',
  );
}

const ASKABLE = 'add `health: 127.0.0.1:9900` to the file, so that this command can identify the program';

async function holderWithoutHealth(subject: Listening, around: DoctorContext): Promise<Seen> {
  if (subject.kind === 'gateway') return doubtful('in use by a program that cannot be identified', ASKABLE);
  const { listen, issuer, development } = subject.config;
  const found = await issuerAt({ issuer, at: listenerUrl(listen, ''), development }, around);
  if (found === undefined) return good('held by a Gatehouse that serves this issuer');
  return bad('held by another program, which serves no metadata of this issuer', MOVE);
}
