import { Agent, type Dispatcher } from 'undici';

/** Connections to a server, which may never be asked: its keys may lie in a file. */
export interface LateAgent {
  /** Made for the first who asks. After the release every question fails. */
  readonly dispatcher: () => Dispatcher;
  release(): Promise<void>;
}

export function lateAgent(options: Agent.Options): LateAgent {
  let agent: Agent | undefined;
  let isReleased = false;
  return {
    dispatcher() {
      agent ??= new Agent(options);
      if (isReleased) void agent.destroy();
      return agent;
    },
    async release() {
      isReleased = true;
      await agent?.destroy();
    },
  };
}
