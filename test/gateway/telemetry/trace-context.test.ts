import t from 'tap';
import { isTraceBroken, traceIdOf } from '../../../src/gateway/telemetry/trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const one = (value: string, lines = 1) => ({ traceparent: { lines, value }, tracestate: undefined });

const wellFormed = [
  `00-${TRACE}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-00`,
  `00-${TRACE}-${SPAN}-ff`,
  `01-${TRACE}-${SPAN}-01`,
  `cc-${TRACE}-${SPAN}-01-what-the-future-will-be-like`,
  `cc-${TRACE}-${SPAN}-01-`,
];

const malformed = [
  '',
  'x',
  `ff-${TRACE}-${SPAN}-01`,
  `0-${TRACE}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01-what`,
  `00-${TRACE}-${SPAN}-01-`,
  `cc-${TRACE}-${SPAN}-01.what`,
  `00-${TRACE}-${SPAN}-1`,
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${TRACE}-${SPAN.toUpperCase()}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.slice(1)}-${SPAN}-01`,
  `00-${TRACE}0-${SPAN}-01`,
  `00-${TRACE}-${SPAN.slice(1)}.-01`,
  `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
];

t.test('a traceparent in the form of §3.2.2, or of a later version, identifies its trace', async (t) => {
  for (const value of wellFormed) {
    t.equal(traceIdOf(one(value)), TRACE, value);
    t.equal(isTraceBroken(one(value)), false, value);
  }
});

t.test('any other traceparent identifies none, and must not be forwarded', async (t) => {
  for (const value of malformed) {
    t.equal(traceIdOf(one(value)), undefined, value);
    t.equal(isTraceBroken(one(value)), true, value);
  }
});

t.test('two of them identify none, even if they are equal', async (t) => {
  t.equal(traceIdOf(one(`00-${TRACE}-${SPAN}-01`, 2)), undefined);
  t.equal(isTraceBroken(one(`00-${TRACE}-${SPAN}-01`, 2)), true);
});

t.test('a tracestate without a traceparent must not be forwarded; without both nothing is invalid', async (t) => {
  t.equal(isTraceBroken({ traceparent: undefined, tracestate: { lines: 1, value: 'a=b' } }), true);
  t.equal(isTraceBroken({ traceparent: undefined, tracestate: undefined }), false);
});
