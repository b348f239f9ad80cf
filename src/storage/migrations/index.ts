import { tokensAndKeys } from './0001-tokens-and-keys.ts';
import { grantsAndPeople } from './0002-grants-and-people.ts';
import { events } from './0003-events.ts';
import { userKeys } from './0004-user-keys.ts';
import { httpUsers } from './0005-http-users.ts';
import { fileUsers } from './0006-file-users.ts';
import { consentByGrant } from './0007-consent-by-grant.ts';
import { apiKeys } from './0008-api-keys.ts';
import { openidConnect } from './0009-openid-connect.ts';
import { clientRegistrations } from './0010-client-registrations.ts';
import { sessionSeen } from './0011-session-seen.ts';
import { securityEvents } from './0012-security-events.ts';
import { endsByUser } from './0013-ends-by-user.ts';
import type { Migration } from './migration.ts';

export const migrations: readonly Migration[] = [
  tokensAndKeys,
  grantsAndPeople,
  events,
  userKeys,
  httpUsers,
  fileUsers,
  consentByGrant,
  apiKeys,
  openidConnect,
  clientRegistrations,
  sessionSeen,
  securityEvents,
  endsByUser,
];
