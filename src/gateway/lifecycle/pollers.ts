import { publicUrl } from '../../base/public-url.ts';
import { faultLog } from '../message/fault-log.ts';
import { Poller } from '../receiver/poller.ts';
import type { Receiving } from '../receiver/receiving.ts';
import { trustOf } from '../server-client/trust.ts';
import type { Core } from './core.ts';

/** Milliseconds until a reload is noticed. */
const LOOK_EVERY = 1_000;

export interface Pollers {
  close(): Promise<void>;
}

interface Running {
  readonly settings: string;
  readonly poller: Poller;
}

type Around = Pick<Core, 'live' | 'directory' | 'log'>;

/** Polls each server that the active file names with `security_events.poll`. */
export function openPollers(core: Around, receiving: Receiving): Pollers {
  const running = new Map<string, Running>();
  let followed: object | undefined;
  const follow = () => {
    if (core.live.current === followed) return;
    followed = core.live.current;
    const wanted = wantedBy(core);
    for (const [name, { settings, poller }] of running) {
      if (wanted.get(name) === settings) continue;
      running.delete(name);
      void poller.close();
    }
    for (const [name, settings] of wanted)
      if (!running.has(name)) running.set(name, { settings, poller: started(name, core, receiving) });
  };
  follow();
  const timer = setInterval(follow, LOOK_EVERY).unref();
  return {
    async close() {
      clearInterval(timer);
      await Promise.all([...running.values()].map(({ poller }) => poller.close()));
    },
  };
}

/** Name of a server → its settings and trusted authorities, as text. */
function wantedBy({ live, directory }: Around): ReadonlyMap<string, string> {
  const servers = Object.entries(live.current.config.authorization_servers);
  return new Map(
    servers.flatMap(([name, block]) => {
      const poll = block.security_events?.poll;
      return poll === undefined ? [] : [[name, JSON.stringify([poll, trustOf(block, { directory })])] as const];
    }),
  );
}

function started(name: string, { live, directory, log }: Around, receiving: Receiving): Poller {
  const block = live.current.config.authorization_servers[name];
  const poll = block?.security_events?.poll;
  if (block === undefined || poll === undefined) throw new Error(`${name} is not polled`);
  const url = publicUrl(poll.url);
  const poller = new Poller({
    poll,
    trust: trustOf(block, { directory }),
    receive: (token) => receiving.receive(name, 'event', token),
    faults: faultLog(log, { server: name, ...(url && { url }) }, 'fetch security events'),
  });
  void poller.run();
  return poller;
}
