import type { ChildProcess } from 'node:child_process';
import { type Command, start, stop } from '../children.ts';
import { type Place, preparePlace } from './place.ts';

/** The programs of a part while it measures. All of them end with the part. */
export interface Stage {
  readonly place: Place;
  /** Resolves with the pid of the program, once it listens. */
  start(command: Command): Promise<number>;
}

/** Upstream and authorization server already run beside the load, unless the part has its own upstream. */
export async function onStage<Answer>(
  work: (stage: Stage) => Promise<Answer>,
  upstream = (place: Place): Command => place.upstream,
): Promise<Answer> {
  const place = await preparePlace();
  const children: ChildProcess[] = [];
  const begin = async (command: Command) => {
    const child = await start(command);
    children.push(child);
    return child.pid as number;
  };
  try {
    await begin(upstream(place));
    await begin(place.issuerServer);
    return await work({ place, start: begin });
  } finally {
    await Promise.all(children.map(stop));
    place.remove();
  }
}
