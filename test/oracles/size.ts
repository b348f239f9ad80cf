import { isFullSize } from '../support/long.ts';

/** The seed of the generator; `ORACLE_SEED` sets another one. */
export const seed = Number(process.env.ORACLE_SEED || 17);

/** Over all rule files; `npm run test:oracles` sends more. */
export const targetsPerReader = Number(process.env.ORACLE_TARGETS || (isFullSize ? 10_000 : 2000));
