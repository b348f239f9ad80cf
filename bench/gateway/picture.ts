import type { GatewayReport } from './bench.ts';
import type { Row } from './judge.ts';

/** Rows of the part enforcement that the picture shows, with their names in it. */
export const shown: readonly { readonly row: string; readonly label: string; readonly isOurs: boolean }[] = [
  { row: 'nginx proxy_pass', label: 'nginx proxy_pass, nothing enforced', isOurs: false },
  { row: 'nginx auth_request, cached', label: 'nginx auth_request, cached answer', isOurs: false },
  { row: 'Gatehouse, default file, open route', label: 'Gatehouse, open route, default file', isOurs: true },
  { row: 'Gatehouse, default file, JWT ES256 cached', label: 'Gatehouse, JWT, default file', isOurs: true },
  { row: 'Gatehouse, default file, form body, JWT cached', label: 'Gatehouse, form, default file', isOurs: true },
  { row: 'Gatehouse, default file, Digest SHA-256', label: 'Gatehouse, Digest, default file', isOurs: true },
  { row: 'Gatehouse own, open route', label: 'Gatehouse, open route, engine own', isOurs: true },
  { row: 'Gatehouse own, JWT ES256 cached', label: 'Gatehouse, JWT, engine own', isOurs: true },
  { row: 'Gatehouse own, opaque cached', label: 'Gatehouse, opaque, engine own', isOurs: true },
  { row: 'Gatehouse own, form body, JWT cached', label: 'Gatehouse, form, engine own', isOurs: true },
  { row: 'Gatehouse own, Digest SHA-256', label: 'Gatehouse, Digest, engine own', isOurs: true },
  { row: 'Gatehouse undici, JWT ES256 cached', label: 'Gatehouse, JWT, engine undici', isOurs: true },
  { row: 'floor', label: 'Fastify and undici, nothing enforced', isOurs: false },
  { row: '@fastify/http-proxy', label: '@fastify/http-proxy, nothing enforced', isOurs: false },
  { row: 'Apache mod_auth_openidc', label: 'Apache mod_auth_openidc, JWT', isOurs: false },
  { row: 'oauth2-proxy', label: 'oauth2-proxy, JWT', isOurs: false },
  { row: 'Oathkeeper', label: 'Oathkeeper, JWT', isOurs: false },
];

interface Bar {
  readonly label: string;
  /** Microseconds of CPU time a request. */
  readonly cpu: number;
  readonly isOurs: boolean;
}

const WIDTH = 880;
const TOP = 84;
const STEP = 34;
const LEFT = 318;
const LONGEST = 470;

/** CPU time a request of each contender in the figures, as SVG. */
export function picture({ parts }: GatewayReport): string {
  const rows = parts.find(({ name }) => name === 'enforcement')?.rows ?? [];
  const bars = shown.flatMap(({ row, label, isOurs }) => {
    const cpu = cpuOf(rows, row);
    return cpu === undefined ? [] : [{ label, cpu, isOurs }];
  });
  if (bars.length === 0) throw new Error('there are no figures of the part enforcement');
  return drawn(bars);
}

function cpuOf(rows: readonly Row[], name: string): number | undefined {
  return rows.find((row) => row.name === name)?.figures.cpu;
}

function drawn(bars: readonly Bar[]): string {
  const height = TOP + bars.length * STEP + 50;
  const most = Math.max(...bars.map(({ cpu }) => cpu));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title desc">
  <title id="title">What a request costs</title>
  <desc id="desc">Bars of the processor time that one small GET costs each gateway, in microseconds: ${inWords(bars)}.</desc>
${style}
  <rect class="paper" width="${WIDTH}" height="${height}" rx="8" />
  <text class="left name" x="24" y="36">Processor time of one small GET, in microseconds</text>
  <text class="left small" x="24" y="58">Each alone on one core, in turns; tokens were seen before. Median of the rounds. Shorter is better.</text>

${bars.map((bar, index) => line(bar, TOP + index * STEP, most)).join('\n')}

  <text class="left small" x="24" y="${height - 20}">npm run bench -- gateway --only enforcement</text>
</svg>
`;
}

function inWords(bars: readonly Bar[]): string {
  return bars.map(({ label, cpu }) => `${label} ${whole(cpu)}`).join('; ');
}

function line({ label, cpu, isOurs }: Bar, top: number, most: number): string {
  const length = Math.max(2, Math.round((cpu / most) * LONGEST));
  return `  <text class="right${isOurs ? ' ours' : ''}" x="${LEFT - 12}" y="${top + 17}">${label}</text>
  <rect class="${isOurs ? 'bar own' : 'bar'}" x="${LEFT}" y="${top}" width="${length}" height="24" rx="3" />
  <text class="left" x="${LEFT + length + 8}" y="${top + 17}">${whole(cpu)}</text>`;
}

const style = `  <style>
    svg { --paper: #ffffff; --ink: #1f2328; --muted: #59636e; --line: #8c959f; --strong: #0b5cad; }
    @media (prefers-color-scheme: dark) {
      svg { --paper: #0d1117; --ink: #e6edf3; --muted: #9da7b1; --line: #6e7681; --strong: #77b7ff; }
    }
    .paper { fill: var(--paper); }
    .bar { fill: var(--line); }
    .own { fill: var(--strong); }
    text { fill: var(--ink); font: 15px system-ui, -apple-system, "Segoe UI", sans-serif; }
    .name { font-weight: 600; font-size: 17px; }
    .small { fill: var(--muted); font-size: 13px; }
    .left { text-anchor: start; }
    .right { text-anchor: end; }
    .ours { font-weight: 600; }
  </style>`;

/** From the figure that the table shows, so that a reader can round it to the same. */
function whole(microseconds: number): string {
  return Number(microseconds.toFixed(1)).toFixed(0);
}
