/** What `/metrics` tells. */
export class Figures {
  readonly requests = new Map<string, number>();
  /** All of them together. */
  requestCount = 0;
  eventsSent = 0;
  eventsDropped = 0;
  slowConsumers = 0;
  connectionsOpened = 0;
  handshakesRefused = 0;

  /** @param method one that exists, so that callers cannot make up names */
  countRequest(method: string, outcome: string): void {
    this.requestCount++;
    const labels = `method="${method}",outcome="${outcome}"`;
    this.requests.set(labels, (this.requests.get(labels) ?? 0) + 1);
  }
}
