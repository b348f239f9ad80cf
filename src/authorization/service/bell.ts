/** Starts a chore of this process before its next regular run. Other processes wait for their regular runs. */
export class Bell {
  #listener = () => {};

  listen(listener: () => void): void {
    this.#listener = listener;
  }

  ring(): void {
    this.#listener();
  }
}
