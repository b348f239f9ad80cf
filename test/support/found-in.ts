import type { Readable } from 'node:stream';

/**
 * What `find` finds in everything that a program printed so far. Reads on after that, so that the program can print
 * more. Throws if the program ends first.
 */
export function foundIn<Found>(output: Readable, find: (printed: string) => Found | undefined): Promise<Found> {
  let printed = '';
  return new Promise((resolve, reject) => {
    output.on('data', (chunk) => {
      printed += String(chunk);
      const found = find(printed);
      if (found !== undefined) resolve(found);
    });
    output.once('end', () => reject(new Error(`the program ended too early: ${printed}`)));
  });
}
