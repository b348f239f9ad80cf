import { schemes as ours } from '../../../src/config/schemes/table.ts';
import { signature } from './signature/config.ts';

/** The product's table with one additional row. */
export const schemes = [...ours, signature] as const;
