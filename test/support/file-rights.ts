import { spawnSync } from 'node:child_process';

const RIGHTS = '-dac_override,-dac_read_search';

/** Without these capabilities, file modes apply to root too. Another user could not read a clone in /root. */
const withoutRights = ['setpriv', `--bounding-set=${RIGHTS}`, `--inh-caps=${RIGHTS}`];

const isRoot = process.getuid?.() === 0;

/** A command that runs the following command with file modes enforced; empty if the user is not root. */
export const underFileRights: readonly string[] = isRoot ? withoutRights : [];

/** For `skip`: why file modes would not apply to a process here. */
export const skipWithoutFileRights =
  isRoot && spawnSync('setpriv', [...withoutRights.slice(1), 'true']).status !== 0
    ? 'setpriv cannot take capabilities of root away here'
    : false;
