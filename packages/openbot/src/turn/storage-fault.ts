/**
 * Remembers the first write of a run that failed. A runner ends with an error then, which must not be told as one of the
 * model: the turn fails as if its first write had, and is begun again. Nothing more is written for the run: a line after the
 * one that is missing would look like its end.
 */
export class StorageFault {
  #first: { readonly error: unknown } | undefined;

  async guard<T>(write: () => Promise<T>): Promise<T> {
    this.throwIfAny();
    try {
      return await write();
    } catch (error) {
      this.#first ??= { error };
      throw error;
    }
  }

  throwIfAny(): void {
    if (this.#first !== undefined) throw this.#first.error;
  }
}
