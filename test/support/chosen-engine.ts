import { isMap, parseDocument, type YAMLMap } from 'yaml';

// `npm run test:engines`: GATEHOUSE_ENGINE names the engine of each upstream whose block names none. The programs do
// not read it. A test helper that starts a program writes its file with this function.

interface Upstreams {
  readonly upstreams?: Readonly<Record<string, object>>;
}

/** Undefined: the default of the program. Read each time, because tests of this function set it. */
function chosen(): string | undefined {
  return process.env.GATEHOUSE_ENGINE || undefined;
}

/** The file with that engine, as values. */
export function withEngine<File extends object>(file: File): File {
  const engine = chosen();
  const { upstreams } = file as Upstreams;
  if (engine === undefined || upstreams === undefined) return file;
  const blocks = Object.entries(upstreams).map(([name, block]) => [
    name,
    takesEngine(block) ? { ...block, engine } : block,
  ]);
  return { ...file, upstreams: Object.fromEntries(blocks) };
}

/** HTTP/2 has an engine of its own. */
function takesEngine(block: object): boolean {
  const { engine, http2 } = block as { engine?: string; http2?: boolean };
  return engine === undefined && http2 !== true;
}

/** The file with that engine, as text. An unreadable file is unchanged, so that the program judges it. */
export function textWithEngine(text: string): string {
  const engine = chosen();
  const document = engine === undefined ? undefined : parseDocument(text);
  const upstreams = document?.get('upstreams');
  if (document === undefined || document.errors.length > 0 || !isMap(upstreams)) return text;
  for (const { value } of upstreams.items)
    if (isMap(value) && takesEngine((value as YAMLMap).toJSON())) value.set('engine', engine);
  return String(document);
}
