import { schemes as ours } from '../../../src/gateway/schemes/table.ts';
import { signature } from './signature/gateway.ts';

/** The product's table with one additional row. */
export const schemes = { ...ours, signature };
