import { Agent, type Dispatcher } from 'undici';

/** Connections to a server that the gateway may never need to ask, because its keys may be in a file. */
export interface LateAgent {
  /** The first caller creates it. After the release, every call fails. */
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
