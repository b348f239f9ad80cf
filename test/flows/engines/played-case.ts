import { connectTo, type RawClient } from '../../support/raw-client.ts';
import type { RawResponse } from '../../support/raw-response.ts';
import { until } from '../../support/until.ts';
import type { Case } from './random-cases.ts';
import type { Fields, Recorded, RecordingUpstream } from './recording-upstream.ts';

/** The result of one request, on both sides of a gateway. */
export interface Seen {
  /** Undefined: the connection closed without an answer. */
  readonly answer: Heard | undefined;
  readonly requests: readonly Told[];
}

export interface Heard {
  readonly line: string;
  readonly fields: Fields;
  readonly body: string;
  readonly trailers: Fields;
  readonly complete: boolean;
  readonly interim: readonly number[];
  /** Of a tunnel. */
  readonly echoed: string;
}

export interface Told {
  readonly line: string;
  readonly fields: Fields;
  readonly body: string;
  readonly trailers: Fields;
  readonly framing: Recorded['framing'];
  readonly state: Recorded['state'];
  readonly unasked: Recorded['unasked'];
}

/** A gateway, and one connection to it after the other. */
export class Player {
  readonly #port: number;
  readonly #upstream: RecordingUpstream;
  #client: RawClient | undefined;

  constructor(port: number, upstream: RecordingUpstream) {
    this.#port = port;
    this.#upstream = upstream;
  }

  async play(item: Case): Promise<Seen> {
    this.#client = this.#client === undefined || this.#client.closed ? await connectTo(this.#port) : this.#client;
    const answer = await manners[item.manner](this.#client, item, this.#upstream);
    if (answer === undefined || item.isLast || endsConnection(answer)) this.end();
    const isSettled = () => this.#upstream.peek(item.id).every(({ state }) => state !== 'open');
    if (!isSettled()) await until(isSettled);
    return { answer, requests: this.#upstream.take(item.id).map(toldOf) };
  }

  end(): void {
    this.#client?.destroy();
    this.#client = undefined;
  }
}

type Play = (client: RawClient, item: Case, upstream: RecordingUpstream) => Promise<Heard | undefined>;

const manners: Readonly<Record<Case['manner'], Play>> = {
  async whole(client, item) {
    client.send(item.head + item.body);
    return heard(await client.read(item));
  },
  async wait(client, item) {
    client.send(item.head);
    // Waits for 100-continue or an answer. A body that is sent earlier may or may not arrive before a refusal is
    // written.
    await until(() => client.unread.length > 0 || client.closed);
    const isRefused = client.unread.length > 0 && !client.unread.toString('latin1').startsWith('HTTP/1.1 100');
    if (!isRefused) client.send(item.body);
    return heard(await client.read(item));
  },
  async leave(client, item, upstream) {
    client.send(item.head + item.body);
    await until(() => client.unread.length > 0 || client.closed || upstream.peek(item.id).length > 0);
    return client.unread.length === 0 ? undefined : heard(await client.read(item));
  },
  async upgrade(client, item) {
    client.send(item.head);
    const answer = await client.read(item);
    if (answer?.status !== 101) return heard(answer);
    client.send('PING!');
    const echoed = () => client.unread.toString('latin1');
    await until(() => echoed().endsWith('PING!') || client.closed);
    return heard(answer, echoed());
  },
};

function heard(response: RawResponse | undefined, echoed = ''): Heard | undefined {
  if (response === undefined) return undefined;
  const { status, reason, headers, body, trailers, complete, interim } = response;
  const line = `${status} ${reason}`;
  return { line, fields: headers, body: body.toString('latin1'), trailers, complete, interim, echoed };
}

function endsConnection({ complete, fields }: Heard): boolean {
  return !complete || fields.some(([name, value]) => name.toLowerCase() === 'connection' && value === 'close');
}

/** How far an upload gets before its sender leaves depends on timing. */
function toldOf({ line, fields, body, trailers, framing, state, unasked }: Recorded): Told {
  const text = state === 'aborted' ? '' : body.toString('latin1');
  return { line, fields, body: text, trailers, framing, state, unasked };
}
