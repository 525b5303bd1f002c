/** Tools wait here until their calls are in the transcript and the listener has heard of them. */
export class BegunCalls {
  readonly #calls = new Map<string, PromiseWithResolvers<boolean>>();
  #isOver = false;

  begin(callId: string): void {
    this.#of(callId).resolve(!this.#isOver);
  }

  whenBegun(callId: string): Promise<boolean> {
    return this.#of(callId).promise;
  }

  /** No tool begins any more. */
  endAll(): void {
    this.#isOver = true;
    for (const call of this.#calls.values()) call.resolve(false);
  }

  #of(callId: string): PromiseWithResolvers<boolean> {
    const call = this.#calls.get(callId) ?? Promise.withResolvers<boolean>();
    this.#calls.set(callId, call);
    if (this.#isOver) call.resolve(false);
    return call;
  }
}
