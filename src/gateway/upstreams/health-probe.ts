import type { HealthConfig } from '../../config/schema/upstream.ts';
import type { EngineChoice } from './engine-choice.ts';
import { probeUpstream } from './upstream-probe.ts';

/** The request of a health check. It contains nothing from a client, and no credential. */
export interface Probed {
  readonly carrier: Pick<EngineChoice, 'engine' | 'lenient'>;
  /** The Host header of the request. */
  readonly host: string;
  readonly servername: string | undefined;
}

/** Bytes of an answer that are read and dropped. */
const READ = 64 * 1024;

/** Part of the interval by which a check varies at random, so that many gateways do not check at once. */
const JITTER = 0.1;

/**
 * Checks one URL until it is closed, one check at a time. After enough equal results in a row, the health changes: then
 * `onChange` runs, with the reason.
 */
export class HealthProbe {
  readonly #config: HealthConfig;
  readonly #probed: Probed;
  readonly #onChange: (isHealthy: boolean, detail: string) => void;
  readonly #random: () => number;
  #timer: NodeJS.Timeout | undefined;
  #isHealthy = true;
  /** Consecutive results that contradict the current state. */
  #against = 0;
  #closed = false;

  constructor(
    config: HealthConfig,
    probed: Probed,
    onChange: (isHealthy: boolean, detail: string) => void,
    random: () => number = Math.random,
  ) {
    this.#config = config;
    this.#probed = probed;
    this.#onChange = onChange;
    this.#random = random;
    this.#wait(config.interval * random());
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #wait(milliseconds: number): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => this.#ask(), milliseconds).unref();
  }

  #ask(): void {
    const { carrier, host, servername } = this.#probed;
    const { path, timeout, interval } = this.#config;
    probeUpstream(carrier, { path, method: 'GET', headers: ['host', host], servername, timeout, limit: READ })
      .then(
        ({ status }) => this.#heard(status >= 200 && status < 300, `status ${status}`),
        (error: Error) => this.#heard(false, error.message || error.name),
      )
      .finally(() => this.#wait(interval * (1 - JITTER + 2 * JITTER * this.#random())));
  }

  #heard(isWell: boolean, detail: string): void {
    if (this.#closed) return;
    if (isWell === this.#isHealthy) {
      this.#against = 0;
      return;
    }
    this.#against++;
    const { unhealthy_after, healthy_after } = this.#config;
    if (this.#against < (isWell ? healthy_after : unhealthy_after)) return;
    this.#against = 0;
    this.#isHealthy = isWell;
    this.#onChange(isWell, detail);
  }
}
