import { bodies } from './bodies.ts';
import { connections } from './connections.ts';
import { consoles } from './consoles.ts';
import { decisions } from './decisions.ts';
import { distinctTokens } from './distinct-tokens.ts';
import { enforcement } from './enforcement.ts';
import { eventLoop } from './event-loop.ts';
import { eventStreams } from './event-streams.ts';
import { fields } from './fields.ts';
import type { Part } from './part.ts';
import { routes } from './routes.ts';
import { start } from './start.ts';
import { tools } from './tools.ts';
import { unseen } from './unseen.ts';

/** In the order of measurement. */
export const parts: readonly Part[] = [
  enforcement,
  fields,
  unseen,
  distinctTokens,
  routes,
  connections,
  bodies,
  tools,
  consoles,
  decisions,
  start,
  eventLoop,
  eventStreams,
];
