import { createServer } from 'node:net';
import { CannotListen, listenAt } from '../../base/listen.ts';
import type { Address } from '../../config/schema.ts';
import { askReady, type Readiness } from '../ask-ready.ts';
import { listenerUrl } from '../listener-url.ts';
import { bad, doubtful, good, type Probe, type Seen } from './finding.ts';
import { issuerAt } from './issuer-at.ts';
import type { Around, AuthorizationSubject, GatewaySubject } from './subject.ts';

type Listening = GatewaySubject | AuthorizationSubject;

const MOVE = 'stop what listens there, or choose another address';

/** Each address is free, or held by a program of this file. */
export function listeners(subject: Listening, around: Around): readonly Probe[] {
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

function judgeHolder(answer: Readiness): Seen {
  if (answer.kind === 'ready') return good('held by a Gatehouse that is ready');
  if (answer.kind === 'silent') return bad(`held by another program: no Gatehouse answers at ${answer.url}`, MOVE);
  return doubtful(
    `held by a Gatehouse that is not ready: ${answer.reason ?? 'it does not say why'}`,
    'its log tells more',
  );
}

const ASKABLE = 'give the file `health: 127.0.0.1:9900`, so that a program of it can be told from another';

async function holderWithoutHealth(subject: Listening, around: Around): Promise<Seen> {
  if (subject.kind === 'gateway') return doubtful('held by a program that cannot be asked who it is', ASKABLE);
  const { listen, issuer, development } = subject.config;
  const found = await issuerAt({ issuer, at: listenerUrl(listen, ''), development }, around);
  if (found === undefined) return good('held by a Gatehouse that serves this issuer');
  return bad('held by another program: it has no metadata of this issuer', MOVE);
}
