/** Milliseconds between two points of the graphs. */
const EVERY = 5_000;
const COUNT = 180;

interface Health {
  readonly servers: readonly { readonly feed?: object }[];
}

/** The answer of the demo, with ages that are the same in each run, and with graphs. */
export function exampleHealth(answer: Health, now: number): object {
  const servers = answer.servers.map((server) => ({
    ...server,
    keys_age_seconds: 430,
    feed: { ...server.feed, lag_seconds: 3 },
  }));
  return { ...answer, servers, points: points(now) };
}

/** The demo is too young for graphs. These 15 minutes are an example: traffic that rises, and a slow minute with refusals. */
function points(now: number): readonly object[] {
  return Array.from({ length: COUNT }, (_, index) => {
    const isSlow = index > 110 && index < 124;
    const load = 40 + index / 9 + wave(index, 31, 9) + wave(index, 7, 3);
    return {
      time: now - (COUNT - 1 - index) * EVERY,
      passed: load,
      refused: 3 + wave(index, 13, 2) + (isSlow ? 14 + wave(index, 5, 5) : 0),
      failed: isSlow ? 1.4 + wave(index, 6, 1) : 0,
      p50: 2.1 + wave(index, 17, 0.3),
      p95: 6.4 + wave(index, 11, 1) + (isSlow ? 9 : 0),
      p99: 11.2 + wave(index, 9, 2) + (isSlow ? 21 + wave(index, 5, 6) : 0),
      own_p99: 0.9 + wave(index, 15, 0.12) + (isSlow ? 0.3 : 0),
      in_flight: Math.round(2 + wave(index, 8, 1.4) + (isSlow ? 5 : 0)),
      memory: (146 + index / 40 + (index % 45) / 5) * 1e6,
    };
  });
}

function wave(index: number, period: number, height: number): number {
  return Math.sin((index / period) * 2 * Math.PI) * height;
}
