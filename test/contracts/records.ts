import type { Test } from 'tap';
import type { Records } from '../../src/storage/records/records.ts';
import { accessTokenRules } from './records/access-tokens.ts';
import { clientRules } from './records/clients.ts';
import { clockRules } from './records/clock-steps.ts';
import { codeRules } from './records/codes.ts';
import { eventRules } from './records/events.ts';
import { fileUserRules } from './records/file-users.ts';
import { grantRules } from './records/grants.ts';
import { housekeepingRules } from './records/housekeeping.ts';
import { httpUserRules } from './records/http-users.ts';
import { keyRules } from './records/keys.ts';
import { modelRules } from './records/model.ts';
import { openidSessionRules } from './records/openid-sessions.ts';
import { peopleRules } from './records/people.ts';
import { refreshRules } from './records/refresh-tokens.ts';
import { securityEventRules } from './records/security-events.ts';
import { userKeyRules } from './records/user-keys.ts';

export interface Implementation {
  /** An empty store; closed after the test. */
  readonly open: (t: Test) => Promise<Records>;
  readonly skip?: false | string;
}

const rules = [
  ...accessTokenRules,
  ...codeRules,
  ...clockRules,
  ...grantRules,
  ...eventRules,
  ...refreshRules,
  ...peopleRules,
  ...openidSessionRules,
  ...securityEventRules,
  ...clientRules,
  ...fileUserRules,
  ...httpUserRules,
  ...keyRules,
  ...userKeyRules,
  ...housekeepingRules,
  ...modelRules,
];

/** What every implementation of Records guarantees. */
export function recordsContract(t: Test, name: string, { open, skip = false }: Implementation): void {
  for (const [title, rule] of rules) t.test(`${name}: ${title}`, { skip }, async (t) => rule(t, await open(t)));
}
