import t from 'tap';
import { parameterLimits } from '../../src/http-auth/parameters.ts';
import { growth } from '../support/growth.ts';
import { isFullSize } from '../support/long.ts';
import { readers } from './readers.ts';

/** Some hundred pairs of texts, each read for milliseconds: minutes in the size of .ci/run. */
t.setTimeout(600_000);

/** A reader that backtracks would read these repeatedly. */
const tedious = ['"', '\\"', 'a,', 'a=b,', ' ', '"\\', '"a",', '" ', 'Digest '];
if (isFullSize) tedious.push(',', '\\', 'a', '=', 'a=', 'a=" ', 'a=b ', ', ,', 'a ', '" "', '%', "a*=UTF-8''%c3%a9,");

/** From the beginning of a parameter, or of its value. */
const BEGINNINGS = ['', 'x="'];

/** As text from a socket is. A joined text has parts, and the engine reads them at another speed. */
const flat = (text: string) => Buffer.from(text, 'latin1').toString('latin1');

for (const [name, read] of Object.entries(readers)) {
  t.test(`${name}: twice the text takes twice the time, and never more than three times`, async (t) => {
    for (const begin of BEGINNINGS)
      for (const part of tedious) {
        const ofLength = (length: number) => flat(begin + part.repeat(Math.floor(length / part.length)));
        const [short, long] = [ofLength(parameterLimits.list / 2 - 40), ofLength(parameterLimits.list - 80)];
        const ratio = growth(
          () => read(short),
          () => read(long),
          2,
        );
        t.ok(ratio <= 3, `${begin}${part}…: ×${ratio.toFixed(1)}`);
      }
  });
}
