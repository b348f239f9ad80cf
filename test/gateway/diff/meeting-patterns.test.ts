import t from 'tap';
import { covers } from '../../../src/config/words/path-pattern.ts';
import { MeetingPatterns } from '../../../src/gateway/diff/meeting-patterns.ts';
import { pathSamples } from '../../../src/gateway/diff/path-samples.ts';
import { pattern, patterns, toPattern } from '../../support/path-patterns.ts';
import fc from '../../support/properties.ts';

t.test('if two patterns have a path in common each finds the other, in the order of the list', async () => {
  fc.assert(
    fc.property(patterns, pattern, (all, one) => {
      const meeting = new MeetingPatterns(all).of(one);
      const sampled = (other: typeof one) =>
        pathSamples([one, other]).some(({ path }) => fits(one, path) && fits(other, path));
      const inOrder = all.filter((other) => meeting.includes(other));
      return (
        all.every((other) => !sampled(other) || meeting.includes(other)) &&
        inOrder.every((other, place) => other === meeting[place]) &&
        inOrder.length === meeting.length
      );
    }),
  );
});

t.test('patterns without a common path are not compared', async (t) => {
  const all = Array.from({ length: 1000 }, (_, index) => toPattern([['api', '{}', `r${index}`], '{}']));
  t.strictSame(new MeetingPatterns(all).of(all[7] ?? []), [all[7]]);
});

function fits(pattern: ReturnType<typeof toPattern>, path: string): boolean {
  const segments = path
    .slice(1)
    .split('/')
    .map((text) => ({ kind: 'literal', text, strict: text, decoded: text }) as const);
  return covers(pattern, segments);
}
