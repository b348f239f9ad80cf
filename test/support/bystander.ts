// A process that needs almost nothing: it ticks every 5 ms, and records how late each tick was. Whatever makes other
// programs wait for a processor delays it too. lateness.ts starts it, and sends it times of CLOCK_MONOTONIC, which all
// processes of a machine share.
const TICK = 5;

export interface Span {
  readonly from: number;
  readonly to: number;
}

const now = () => Number(process.hrtime.bigint()) / 1e6;
/** Nothing wakes it, so its wait ends exactly at the time. A timer of Node.js rounds to milliseconds. */
const asleep = new Int32Array(new SharedArrayBuffer(4));

/** From when a tick was due to when it came. */
const waits: Span[] = [];
let asked: Span[] = [];
let last = now();

process.on('message', (span: Span) => asked.push(span));
process.on('disconnect', () => process.exit());
process.send?.('it ticks');
tick();

function tick(): void {
  const due = last + TICK;
  Atomics.wait(asleep, 0, 0, Math.max(0, due - now()));
  last = now();
  waits.push({ from: due, to: last });
  const isOver = ({ to }: Span) => to <= last;
  for (const span of asked.filter(isOver)) process.send?.(latenesses(span));
  asked = asked.filter((span) => !isOver(span));
  setImmediate(tick);
}

/** Lateness before or after the span does not count. */
function latenesses(span: Span): number[] {
  const before = waits.findLastIndex(({ to }) => to <= span.from);
  return waits
    .slice(before + 1)
    .map(({ from, to }) => Math.min(to, span.to) - Math.max(from, span.from))
    .filter((milliseconds) => milliseconds > 0);
}
