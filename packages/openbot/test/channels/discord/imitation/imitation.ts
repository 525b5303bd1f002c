import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readForm } from '../../read-form.ts';
import { Gateway } from './gateway.ts';
import { type Answer, answerCall, type Call } from './rest.ts';
import { type MessageObject, type User, World } from './world.ts';

/** What happens to the next calls that match. */
export interface RestFault {
  readonly method?: string;
  readonly path?: RegExp;
  /** 1 when absent. */
  times?: number;
  /** An answer in the place of the real one; `lose answer` does the work and ends the connection; `stall` never answers; `pass` lets calls pass in front of a fault. */
  readonly does: Answer | 'lose answer' | 'stall' | 'reset' | 'pass';
}

/** Discord on loopback: REST, gateway and files. */
export class Imitation {
  readonly world = new World();
  readonly gateway = new Gateway(this.world);
  readonly calls: Call[] = [];
  readonly faults: RestFault[] = [];
  readonly #files = new Map<string, Buffer>();
  /** By the path of a file: how many of the next downloads are broken off in the middle. */
  readonly brokenDownloads = new Map<string, number>();
  downloads = 0;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  origin = '';
  #isDown = false;

  async start(): Promise<this> {
    this.#server.on('upgrade', (request, socket, head) => this.gateway.upgrade(request, socket, head));
    // A connection that closes while a busy machine uses it again looks like a lost answer.
    this.#server.keepAliveTimeout = 600_000;
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.origin = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  /** Every connection ends at once, as when the network is down. */
  goDown(isDown = true): void {
    this.#isDown = isDown;
    this.gateway.isOpen = !isDown;
    if (!isDown) return;
    this.gateway.drop();
    this.#server.closeAllConnections();
  }

  async stop(): Promise<void> {
    this.gateway.stop();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** A person writes. */
  say(channelId: string, author: User, content: string, fields: Partial<MessageObject> = {}): MessageObject {
    const message = this.world.keep(this.world.makeMessage(channelId, author, { content, ...fields }));
    this.gateway.dispatch('MESSAGE_CREATE', message);
    return message;
  }

  /** A person writes in the chat with the bot. */
  sayDirectly(author: User, content: string, fields: Partial<MessageObject> = {}): MessageObject {
    return this.say(this.world.directChannel(author).id, author, content, fields);
  }

  keepFile(bytes: Buffer, name = `file-${this.#files.size + 1}`): string {
    this.#files.set(`/cdn/${name}`, bytes);
    return `${this.origin}/cdn/${name}`;
  }

  fault(fault: RestFault): void {
    this.faults.push(fault);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#isDown) return void request.socket.destroy();
    const url = new URL(request.url ?? '/', this.origin);
    if (url.pathname.startsWith('/cdn/')) return this.#serveFile(url.pathname, response);
    const call = await readCall(request, url);
    this.calls.push(call);
    const fault = this.faults.find(
      ({ method = call.method, path = /./, times = 1 }) =>
        times > 0 && method === call.method && path.test(call.path),
    );
    if (fault !== undefined) fault.times = (fault.times ?? 1) - 1;
    if (fault?.does === 'stall') return;
    if (fault?.does === 'reset') {
      request.socket.destroy();
      return;
    }
    const isKnown =
      request.headers.authorization === `Bot ${this.world.token}` || call.path.startsWith('/interactions/');
    const answer = !isKnown
      ? { status: 401, body: { message: '401: Unauthorized', code: 0 } }
      : typeof fault?.does === 'object'
        ? fault.does
        : answerCall(this.world, call, {
            origin: this.origin,
            dispatch: (t, d) => this.gateway.dispatch(t, d),
            keepFile: (bytes) => this.keepFile(bytes),
          });
    if (fault?.does === 'lose answer') {
      request.socket.destroy();
      return;
    }
    const type = answer.body === undefined ? {} : { 'content-type': 'application/json' };
    const headers = { ...type, ...(answer as Answer).headers };
    response.writeHead(answer.status, headers);
    response.end(answer.body === undefined ? undefined : JSON.stringify(answer.body));
  }

  #serveFile(path: string, response: ServerResponse): void {
    this.downloads++;
    const bytes = this.#files.get(path);
    if (bytes === undefined) {
      response.writeHead(404).end();
      return;
    }
    const broken = this.brokenDownloads.get(path) ?? 0;
    response.writeHead(200, { 'content-type': 'application/octet-stream' });
    if (broken > 0) {
      this.brokenDownloads.set(path, broken - 1);
      response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => response.destroy());
      return;
    }
    response.end(bytes);
  }
}

async function readCall(request: IncomingMessage, url: URL): Promise<Call> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const type = request.headers['content-type'] ?? '';
  const call = {
    method: request.method ?? 'GET',
    path: url.pathname.replace(/^\/api\/v10/, ''),
    query: url.searchParams,
  };
  if (!type.startsWith('multipart/')) {
    return { ...call, body: bytes.length === 0 ? {} : JSON.parse(bytes.toString()), files: [] };
  }
  const form = await readForm(new Uint8Array(bytes), type);
  const files: { name: string; type: string; bytes: Buffer }[] = [];
  for (const value of form.values()) {
    if (typeof value === 'string') continue;
    files.push({ name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) });
  }
  return { ...call, body: JSON.parse(String(form.get('payload_json') ?? '{}')), files };
}
