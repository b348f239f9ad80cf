import { isFullSize } from '../support/long.ts';

/** Of the generator; another one with `ORACLE_SEED`. */
export const seed = Number(process.env.ORACLE_SEED || 17);

/** Over all rule files; `npm run test:oracles` asks more. */
export const targetsPerReader = Number(process.env.ORACLE_TARGETS || (isFullSize ? 10_000 : 2000));
