import { schemes as ours } from '../../../src/gateway/schemes/table.ts';
import { signature } from './signature/gateway.ts';

/** The table of the product, and one row more. */
export const schemes = { ...ours, signature };
