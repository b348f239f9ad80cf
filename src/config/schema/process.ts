import { duration, oneOf, record } from '../words/schema.ts';

/** What both programs have as processes. */

export const Log = record(
  {
    level: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info', 'The least that is written.'),
    format: oneOf(['auto', 'json', 'pretty'], 'auto', 'auto: pretty on a terminal.'),
  },
  {},
  'How much the program logs to standard output.',
);

export const Shutdown = record(
  { deadline: duration('30s', 'SIGTERM: what is in flight may take this long.') },
  {},
  'How the program stops.',
);
