import { duration, oneOf, record } from '../words/schema.ts';

/** Settings that both programs share. */

export const Log = record(
  {
    level: oneOf(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'info',
      'The program logs entries of this level and of higher levels.',
    ),
    format: oneOf(['auto', 'json', 'pretty'], 'auto', 'auto means `pretty` on a terminal, and `json` elsewhere.'),
  },
  {},
  'The program logs to standard output.',
);

export const Shutdown = record(
  { deadline: duration('30s', 'After SIGTERM, the program finishes requests in flight for at most this long.') },
  {},
  'These settings apply when the program stops.',
);
