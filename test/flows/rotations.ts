import type { Test } from 'tap';
import type { Records } from '../../src/storage/records/records.ts';
import { signedIn } from '../authorization/browser/walk.ts';
import { command as start } from '../support/command.ts';
import type { FleetService } from './fleet.ts';

export interface Rotating {
  readonly t: Test;
  readonly services: readonly FleetService[];
  readonly records: Records;
}

/** Everything up to the last step, which is returned. The step settles with the answer of the rotation. */
type Prepare = (rotating: Rotating, user: string, service: FleetService) => Promise<() => Promise<void>>;

/** The ways to rotate a user's key: the store's verb, the button of the account page, the command. */
export const ways = { verb, page, command } satisfies Record<string, Prepare>;
export type Way = keyof typeof ways;

async function verb({ records }: Rotating, user: string) {
  return async () => {
    const now = Math.floor(Date.now() / 1000);
    const ended = await records.rotateUserKey({ subject: user, until: now + 900, now });
    if (ended.length !== 1) throw new Error(`${ended.length} keys of ${user} ended`);
  };
}

async function page(_rotating: Rotating, user: string, service: FleetService) {
  const tab = await signedIn(service, user, user);
  const account = await tab.get('/oauth2/account');
  return async () => {
    const done = await tab.post('/oauth2/account/sign-out-everywhere', { csrf: account.field('csrf') });
    if (done.status !== 303) throw new Error(`sign out everywhere: ${done.status}`);
  };
}

async function command({ t }: Rotating, user: string, { configFile }: FleetService) {
  return async () => {
    const { prints, stderr } = start(t, ['user', 'rotate-key', user, '--json', '--config', configFile]);
    if (!(await prints('"ended"'))) throw new Error(`user rotate-key: ${stderr()}`);
  };
}
