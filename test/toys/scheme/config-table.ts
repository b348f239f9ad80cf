import { schemes as ours } from '../../../src/config/schemes/table.ts';
import { signature } from './signature/config.ts';

/** The table of the product, and one row more. */
export const schemes = [...ours, signature] as const;
