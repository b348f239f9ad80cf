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

class Shared {
  #filter;
  #parts;
  #last;
  #joined;

  constructor(filter, parts) {
    this.#filter = filter;
    this.#parts = parts;
  }

  join() {
    if (this.#joined !== undefined) return;
    const joined = { channel: new BroadcastChannel(`decisions ${this.#filter}`), ended: new AbortController() };
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
    if (navigator.locks === undefined) return hold();
    return navigator.locks.request(`decisions ${this.#filter}`, { signal: joined.ended.signal }, hold);
  }

  #connect({ channel, ended }) {
    if (ended.signal.aborted) return undefined;
    const source = new EventSource(this.#address());
    const pass = (message) => {
      this.#hear(message);
      if (!ended.signal.aborted) channel.postMessage(message);
    };
    source.onmessage = ({ data, lastEventId }) => pass({ id: lastEventId, data });
    source.addEventListener('hello', ({ data }) => pass({ hello: data }));
    source.onerror = () => {
      pass({ state: 'waiting' });
      if (source.readyState === EventSource.CLOSED) void this.#fault(pass);
    };
    return new Promise((resolve) => {
      ended.signal.addEventListener('abort', () => {
        source.close();
        resolve();
      });
    });
  }

  /** A refused stream has no body for scripts, so the same question is asked as JSON. */
  async #fault(pass) {
    const { ok, answer } = await ask(this.#address()).catch(() => ({ ok: true }));
    if (!ok) pass({ state: answer.error ?? answer.fault ?? answer.reason ?? 'refused' });
  }

  /** A tab without the connection needs the decisions that other tabs already have. */
  async #catchUp(joined) {
    const { ok, answer } = await ask(this.#address()).catch(() => ({ ok: false }));
    if (ok && this.#joined === joined) this.#parts.take({ decisions: answer.decisions, left: 0, slow: 0 });
  }

  #address() {
    const query = new URLSearchParams({ filter: this.#filter });
    if (this.#last !== undefined) query.set('since', this.#last);
    return `/api/decisions?${query}`;
  }

  #hear({ id, data, hello, state }) {
    if (state !== undefined) return this.#parts.tell(state);
    this.#parts.tell('connected');
    if (hello !== undefined) return this.#parts.greet(JSON.parse(hello));
    this.#last = id;
    return this.#parts.take(JSON.parse(data));
  }
}
