import type { Ask, Asker, Field } from './asker.ts';
import type { RunningReader } from './reader-client.ts';
import type { RuleFile } from './rule-files.ts';
import { plainSpelling, type Served } from './served.ts';

/**
 * A hole: a request was forwarded although the same caller is refused for the plain spelling of what the reader served.
 */
export interface Difference {
  readonly reader: string;
  readonly file: string;
  readonly ask: Ask;
  /** What the upstream got. */
  readonly head: string;
  readonly served: Served;
  readonly plain: Ask;
  readonly why: string;
}

export interface Counts {
  asked: number;
  forwarded: number;
  /** What each reader served. */
  readonly served: Record<string, number>;
}

interface Forwarded {
  readonly ask: Ask;
  readonly head: string;
}

export interface OracleParts {
  readonly file: RuleFile;
  readonly asker: Asker;
  readonly readers: readonly RunningReader[];
}

/** So many requests are sent at a time. */
const BATCH = 2000;

/** Compares a judge with real readers of the requests that it forwards. */
export class Oracle {
  readonly counts: Counts = { asked: 0, forwarded: 0, served: {} };
  readonly #parts: OracleParts;
  /** Why a plain request is refused; undefined: it is forwarded. Many targets are served as one path. */
  readonly #plain = new Map<string, string | undefined>();

  constructor(parts: OracleParts) {
    this.#parts = parts;
  }

  async differences(asks: Iterable<Ask>): Promise<readonly Difference[]> {
    const found: Difference[] = [];
    for (const batch of batches(asks, BATCH)) found.push(...(await this.#batch(batch)));
    return found;
  }

  async #batch(asks: readonly Ask[]): Promise<readonly Difference[]> {
    const answers = await this.#parts.asker(asks);
    const forwarded = asks.flatMap((ask, index): Forwarded[] => {
      const answer = answers[index];
      return answer?.kind === 'forwarded' ? [{ ask, head: answer.head }] : [];
    });
    this.counts.asked += asks.length;
    this.counts.forwarded += forwarded.length;
    const heads = [...new Set(forwarded.map(({ head }) => head))];
    const found = await Promise.all(this.#parts.readers.map((reader) => this.#reader(reader, heads, forwarded)));
    await this.#learn(found.flat().map(({ plain }) => plain));
    return found.flat().flatMap((each): Difference[] => {
      const why = this.#plain.get(keyOf(each.plain));
      return why === undefined ? [] : [{ ...each, why }];
    });
  }

  async #reader(
    { reader, ask }: RunningReader,
    heads: readonly string[],
    forwarded: readonly Forwarded[],
  ): Promise<readonly Omit<Difference, 'why'>[]> {
    const said = await ask(heads);
    const servedOf = new Map(heads.map((head, index) => [head, said[index]]));
    const { counts } = this;
    return forwarded.flatMap((each) => {
      const served = servedOf.get(each.head);
      if (served === undefined) return [];
      counts.served[reader.name] = (counts.served[reader.name] ?? 0) + 1;
      const { file } = this.#parts;
      return plainAsks(file, each.ask, served).map((plain) => ({
        ...each,
        reader: reader.name,
        file: file.name,
        served,
        plain,
      }));
    });
  }

  async #learn(plain: readonly Ask[]): Promise<void> {
    const unknown = new Map<string, Ask>();
    for (const ask of plain) if (!this.#plain.has(keyOf(ask))) unknown.set(keyOf(ask), ask);
    const answers = await this.#parts.asker([...unknown.values()]);
    for (const [index, key] of [...unknown.keys()].entries()) {
      const answer = answers[index];
      this.#plain.set(key, answer?.kind === 'refused' ? answer.why : undefined);
    }
  }
}

/** What a reader served, requested by the same caller in plain spelling. */
function plainAsks({ readsWithoutCase }: RuleFile, { caller }: Ask, served: Served): readonly Ask[] {
  const { host, env, op, path } = served;
  const fields: readonly Field[] = env === '' ? [] : [['X-Env', env]];
  const query = op === '' ? '' : `?op=${op}`;
  const paths = new Set(readsWithoutCase ? [path, lowerCase(path)] : [path]);
  return [...paths].map((each) => ({ caller, host: plainHost(host), target: plainSpelling(each) + query, fields }));
}

/** Without a port, and without characters that no host has. */
function plainHost(host: string): string {
  return /^(?:\[[0-9A-Fa-f:.]*\]|[A-Za-z0-9._-]+)/.exec(host)?.[0] ?? host;
}

function lowerCase(path: string): string {
  return Buffer.from(Buffer.from(path, 'latin1').toString('utf8').toLowerCase()).toString('latin1');
}

function keyOf({ caller, host, target, fields }: Ask): string {
  return `${caller} ${host} ${target} ${fields.join()}`;
}

function* batches<Item>(items: Iterable<Item>, size: number): Generator<Item[]> {
  let batch: Item[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
