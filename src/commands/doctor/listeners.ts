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
  /** Another origin that is asked in place of that of the issuer. */
  readonly at?: string;
}

/** Why the server that is asked is not the issuer (RFC 8414 §3.3), as gateways judge it; undefined: it is. */
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

/** Clients and gateways reach the service by its issuer identifier, through any proxy in between. */
export function issuer(subject: LoadedServiceFile, around: DoctorContext): readonly DoctorProbe[] {
  return [{ about: `issuer ${subject.config.issuer}`, look: () => lookAtIssuer(subject.config, around) }];
}

type Named = LoadedServiceFile['config'];

async function lookAtIssuer({ issuer: named, listen, development }: Named, around: DoctorContext): Promise<Seen> {
  const fault = await issuerAt({ issuer: named, development }, around);
  if (fault === undefined) return good('reached by its own name, and its metadata agree');
  const url = new URL(named);
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  if (isLoopback(url.hostname) && url.protocol === 'http:' && listen.port !== 0 && port !== listen.port)
    return bad(
      `${fault}; it names the port ${port} of this machine, and \`listen\` has ${listen.port}`,
      'give both the same port, or let a proxy lead from one to the other',
    );
  if (listen.port === 0 || (await runs(named, listen, development, around)))
    return bad(
      `the service runs at ${listenerUrl(listen, '')}, and is not reachable at its issuer URL: ${fault}`,
      faultRemedy(
        fault,
        'let the proxy in front forward the whole path, including the well-known part (RFC 8414 §3.1)',
      ),
    );
  return doubtful(`the service does not run at the moment: ${fault}`, 'start it, and ask again');
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

/** Each address is free, or held by a program of this file. */
export function listeners(subject: Listening, around: DoctorContext): readonly DoctorProbe[] {
  const { health, admin } = subject.config;
  const asked = health ?? admin;
  const answer = asked && askReady(asked);
  const holder = () => answer?.then(judgeHolder) ?? holderWithoutHealth(subject, around);
  return addressesOf(subject).map(([name, address]) => ({
    about: `${name} ${shown(address)}`,
    look: () => lookAt(address, holder),
  }));
}

function shown({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function addressesOf({ config }: Listening): readonly (readonly [string, Address])[] {
  const { listen, admin, health } = config;
  const decision = 'decision' in config ? config.decision : undefined;
  const all: readonly (readonly [string, Address | undefined])[] = [
    ['listen', listen],
    ['admin', admin],
    ['health', health],
    ['decision', decision],
  ];
  return all.flatMap(([name, address]) => (address === undefined ? [] : [[name, address] as const]));
}

/** Whether it can be had is known once it was had, for a moment. */
async function lookAt(address: Address, holder: () => Promise<Seen>): Promise<Seen> {
  if (address.port === 0) return good('takes any free port');
  const server = createServer((socket) => socket.destroy());
  try {
    await listenAt(server, address);
    return good('free');
  } catch (error) {
    if (!(error instanceof CannotListen)) throw error;
    return isTaken(error) ? await holder() : refusal(error);
  } finally {
    server.close();
  }
}

function isTaken({ cause }: CannotListen): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
}

/** As the program would say it: the address, what is wrong, the remedy. */
function refusal({ message }: CannotListen): Seen {
  const [, what = message, remedy = 'name one that it has, or 0.0.0.0 for all'] =
    /^\S+ (.*?)(?:: (.*))?$/.exec(message) ?? [];
  return bad(what, remedy);
}

function judgeHolder(answer: ProgramReadiness): Seen {
  if (answer.kind === 'ready') return good('held by a Gatehouse that is ready');
  if (answer.kind === 'silent') return bad(`held by another program: no Gatehouse answers at ${answer.url}`, MOVE);
  return doubtful(
    `held by a Gatehouse that is not ready: ${answer.cause ?? answer.reason ?? 'the reason is unknown'}`,
    'its log says more',
  );
}

const ASKABLE = 'give the file `health: 127.0.0.1:9900`, so that a program of it can be told from another';

async function holderWithoutHealth(subject: Listening, around: DoctorContext): Promise<Seen> {
  if (subject.kind === 'gateway') return doubtful('in use by a program that cannot be identified', ASKABLE);
  const { listen, issuer, development } = subject.config;
  const found = await issuerAt({ issuer, at: listenerUrl(listen, ''), development }, around);
  if (found === undefined) return good('held by a Gatehouse that serves this issuer');
  return bad('held by another program: it has no metadata of this issuer', MOVE);
}
