import { type Bar, cpuRatio, loadColumns, nameBy, type Part, type PartBench } from './part.ts';
import { same } from './requests.ts';
import { onStage, type Stage } from './stage.ts';
import { type Contestant, runTurns } from './turns.ts';

const PLAIN = 'the route has no mcp';
const RULES = 'the route has mcp';
const paths = { [PLAIN]: '/es/mcp', [RULES]: '/tools/mcp' };
const listeners = ['node', 'auto'] as const;

const nameOf = (listener: (typeof listeners)[number], kind: string) => `${nameBy(listener)}: ${kind}`;

/** A call with arguments, so that the body has 2 KiB. */
const SIZE = 2048;
const REVISION = '2026-07-28';

export const tools: Part = {
  name: 'tools',
  about:
    'A client calls a tool of a Model Context Protocol server with one cached JWT. The body has 2 KiB. Both routes get the same POST, with headers that repeat the body. The route with mcp compares them, and applies a rule for the tool.',
  columns: loadColumns,
  beside: [{ title: '÷ without mcp', to: (name) => name.replace(/: .*/, `: ${PLAIN}`) }],
  bars: () => listeners.map(bar),
  measure: (bench) => onStage(async (stage) => runTurns(await contestants(stage, bench), bench)),
};

function bar(listener: (typeof listeners)[number]): Bar {
  const value = cpuRatio(nameOf(listener, RULES), nameOf(listener, PLAIN));
  return { title: `a tool call with rules ÷ the same POST without, listener ${listener}`, value, bar: 1.5, goal: 1.2 };
}

async function contestants({ place, start }: Stage, { engine, connections }: PartBench): Promise<Contestant[]> {
  const auto = place.autoPort;
  const who = [
    { listener: 'node' as const, port: place.ports[engine], pid: await start(place.gateway(engine)) },
    {
      listener: 'auto' as const,
      port: auto,
      pid: await start(place.gateway(engine, { port: auto, listener: 'auto' })),
    },
  ];
  return who.flatMap(({ listener, port, pid }) =>
    Object.entries(paths).map(([kind, path]) => ({
      name: nameOf(listener, kind),
      pid,
      prepare: same(
        { url: `http://127.0.0.1:${port}${path}`, connections, folder: place.folder },
        { token: place.mint.ES256(1), method: 'POST', type: 'application/json', body: `[[${message()}]]`, headers },
      ),
    })),
  );
}

const headers = { 'MCP-Protocol-Version': REVISION, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'echo' };

/** As a program writes it: nested objects, a list, numbers and text. */
function message(): string {
  const rows = Array.from({ length: 12 }, (_, index) => ({ id: index, name: `order ${index}`, paid: index % 2 === 0 }));
  const params = {
    name: 'echo',
    arguments: { rows, note: '' },
    _meta: { 'io.modelcontextprotocol/protocolVersion': REVISION },
  };
  const text = () => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  params.arguments.note = 'x'.repeat(SIZE - text().length);
  return text();
}
