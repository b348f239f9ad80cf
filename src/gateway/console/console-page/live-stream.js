// Receives decisions. All visible tabs with the same filter share one connection: a browser opens only a few to one server.
import { ask } from './api.js';

/**
 * Calls `take` for each message until the returned function is called. `tell` gets the state: `connected`, `waiting`, `refused`, or a fault in words.
 */
export function openStream(filter, { take, greet, tell }) {
  const shared = new Shared(filter, { take, greet, tell });
  const look = () => (document.hidden ? shared.leave() : shared.join());
  document.addEventListener('visibilitychange', look);
  look();
  return () => {
    document.removeEventListener('visibilitychange', look);
    shared.leave();
  };
}

/** Milliseconds before the next try after a refusal. */
const FIRST_WAIT = 1000;
const LONGEST_WAIT = 30_000;

class Shared {
  #filter;
  #parts;
  #last;
  #epoch;
  #joined;

  constructor(filter, parts) {
    this.#filter = filter;
    this.#parts = parts;
  }

  join() {
    if (this.#joined !== undefined) return;
    const joined = {
      channel: new BroadcastChannel(`decisions ${this.#filter}`),
      ended: new AbortController(),
      isGreeted: false,
    };
    this.#joined = joined;
    joined.channel.onmessage = ({ data }) => this.#hear(data);
    void this.#lead(joined).catch(() => {});
    void this.#catchUp(joined);
  }

  leave() {
    this.#joined?.ended.abort();
    this.#joined?.channel.close();
    this.#joined = undefined;
  }

  /** The tab with the lock has the connection. When it leaves, the next tab gets the lock. */
  async #lead(joined) {
    const hold = () => this.#connect(joined);
    return navigator.locks.request(`decisions ${this.#filter}`, { signal: joined.ended.signal }, hold);
  }

  /** A browser connects again by itself, but not after a refusal. */
  async #connect({ channel, ended }) {
    const pass = (message) => {
      if (ended.signal.aborted) return;
      this.#hear(message);
      channel.postMessage(message);
    };
    for (let wait = FIRST_WAIT; !ended.signal.aborted; wait = Math.min(wait * 2, LONGEST_WAIT)) {
      await this.#listen(pass, ended.signal);
      if (ended.signal.aborted) return;
      pass({ state: await this.#fault() });
      await pause(wait, ended.signal);
    }
  }

  /** Resolves when the stream is refused, or the tab leaves it. */
  #listen(pass, signal) {
    const source = new EventSource(this.#address());
    source.onmessage = ({ data, lastEventId }) => pass({ id: lastEventId, data });
    source.addEventListener('hello', ({ data }) => pass({ hello: data }));
    return new Promise((resolve) => {
      source.onerror = () => (source.readyState === EventSource.CLOSED ? resolve() : pass({ state: 'waiting' }));
      signal.addEventListener('abort', resolve);
    }).finally(() => source.close());
  }

  /** A refused stream has no body for scripts, so the same question is asked as JSON. */
  async #fault() {
    const { ok, answer } = await ask(this.#address());
    return ok ? 'refused' : (answer.error ?? 'refused');
  }

  /** A tab without the connection needs what other tabs already have. Only a message of the stream shows that it is open. */
  async #catchUp(joined) {
    const { ok, answer } = await ask(this.#address());
    if (!ok || this.#joined !== joined) return;
    // The stream's own greeting is newer. The numbers of another start mean other decisions.
    if (!joined.isGreeted) this.#greet(answer);
    else if (answer.epoch !== this.#epoch) return;
    this.#parts.take({ decisions: answer.decisions, left: 0, slow: 0 });
  }

  /** After another start of the gateway, its numbers begin again. */
  #greet(hello) {
    if (this.#epoch !== undefined && this.#epoch !== hello.epoch) this.#last = undefined;
    this.#epoch = hello.epoch;
    this.#parts.greet(hello);
  }

  #address() {
    const query = new URLSearchParams({ filter: this.#filter });
    if (this.#last !== undefined) query.set('since', this.#last);
    return `/api/decisions?${query}`;
  }

  #hear({ id, data, hello, state }) {
    if (state !== undefined) return this.#parts.tell(state);
    this.#parts.tell('connected');
    if (hello !== undefined) {
      if (this.#joined !== undefined) this.#joined.isGreeted = true;
      return this.#greet(JSON.parse(hello));
    }
    this.#last = id;
    return this.#parts.take(JSON.parse(data));
  }
}

/** Ends early when the tab leaves the stream. */
function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
