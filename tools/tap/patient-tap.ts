// What a test file imports as `tap`, by light.ts.
import t from 'tap';
import { givePatience } from './patience.ts';

givePatience(t);

export * from 'tap';
export default t;
