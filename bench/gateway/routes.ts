import { COUNTS, nameOf } from '../route-place.ts';
import { benchRoutes, type RouteRun } from '../routes.ts';
import { cpuRatio, loadColumns, type Part, type PartBench, type Turn } from './part.ts';

const [FEWEST] = COUNTS;
const MOST = COUNTS[COUNTS.length - 1] ?? FEWEST;
const ACCESS = 'scope';

export const routes: Part = {
  name: 'routes',
  about:
    'Each row names a number of routes. The small GETs are spread evenly over these routes. A route is open, or requires a JWT with one of six scopes. The JWT is cached.',
  columns: [...loadColumns, { key: 'start', title: 'start ms', digits: 0 }],
  beside: [{ title: `÷ ${FEWEST} routes`, to: (name) => name.replace(/^\d+/, String(FEWEST)) }],
  bars: () => [
    {
      title: `${MOST} routes ÷ ${FEWEST}`,
      value: cpuRatio(nameOf(MOST, ACCESS), nameOf(FEWEST, ACCESS)),
      bar: 1.05,
      goal: 1.01,
    },
  ],
  measure,
};

async function measure(bench: PartBench): Promise<Turn[]> {
  const { runs, starts } = await benchRoutes(bench);
  const startOf = ({ name, round }: RouteRun) =>
    starts.find((each) => each.name === name && each.round === round)?.start ?? Number.NaN;
  return runs.map((run) => {
    const { name, round, requests: _requests, ...figures } = run;
    return { name, round, figures: { ...figures, start: startOf(run) } };
  });
}
