import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Channel } from '../../src/channels/contract.ts';

/** The HTTP port in front of a channel: gives it the bytes of each request, and answers what it says. */
export class WebhookDoor {
  channel: Channel | undefined;
  readonly #server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const answer = (await this.channel?.receiveHttp?.({
      method: request.method!,
      path: request.url!,
      headers,
      body: Buffer.concat(chunks),
    })) ?? { status: 503 };
    response.writeHead(answer.status, { ...answer.headers }).end(answer.body);
  });

  static async open(): Promise<WebhookDoor> {
    const door = new WebhookDoor();
    await new Promise<void>((resolve) => door.#server.listen(0, '127.0.0.1', resolve));
    return door;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
