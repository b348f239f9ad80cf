/** Tells the sender of logout tokens in this process that a session has ended. Other processes look regularly. */
export class Bell {
  #listener = () => {};

  listen(listener: () => void): void {
    this.#listener = listener;
  }

  ring(): void {
    this.#listener();
  }
}
