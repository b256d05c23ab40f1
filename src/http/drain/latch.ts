/** Something that happens at most once: others wait for it, or ask whether it has happened. */
export class Latch {
  isSet = false;
  readonly whenSet: Promise<void>;
  #fulfil = () => {};

  constructor() {
    this.whenSet = new Promise((resolve) => (this.#fulfil = resolve));
  }

  readonly set = (): void => {
    this.isSet = true;
    this.#fulfil();
  };
}
