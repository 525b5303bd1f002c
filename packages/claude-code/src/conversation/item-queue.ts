/** What is put in comes out in its order, for one reader; it ends after `close`. */
export class ItemQueue<Item> implements AsyncIterable<Item> {
  readonly #items: Item[] = [];
  #isClosed = false;
  #wake: () => void = () => {};

  push(item: Item): void {
    if (this.#isClosed) return;
    this.#items.push(item);
    this.#wake();
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    for (;;) {
      const item = this.#items.shift();
      if (item !== undefined) yield item;
      else if (this.#isClosed) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}
