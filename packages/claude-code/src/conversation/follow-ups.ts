/** What is still to be said to Claude Code after the task. */
export class FollowUps {
  readonly #waiting: string[] = [];
  #isClosed = false;
  /** Called when there is something to take, or there will be nothing more. */
  onChange: () => void = () => {};

  get count(): number {
    return this.#waiting.length;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  add(text: string): void {
    this.#waiting.push(text);
    this.onChange();
  }

  take(): string | undefined {
    return this.#waiting.shift();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onChange();
  }

  list(): string[] {
    return [...this.#waiting];
  }
}
