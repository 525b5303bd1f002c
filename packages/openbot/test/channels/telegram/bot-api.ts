import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterTest } from '../../../../../test/setup/cleaning.ts';
import { type Call, readCall } from './bot-api-call.ts';
import { Chats } from './bot-api-chats.ts';
import { ApiRefusal, refuse } from './bot-api-refusal.ts';
import { UpdateQueue } from './bot-api-updates.ts';

/** What happens to a call. Each is used up by one call of its method, or by `times` of them. */
export type ApiFault =
  /** Lets a call pass in front of a fault. */
  | { readonly fault: 'none' }
  | {
      readonly fault: 'refuse';
      readonly code: number;
      readonly description: string;
      readonly parameters?: Readonly<Record<string, number>>;
    }
  /** It is done, and the connection ends before the answer. */
  | { readonly fault: 'lose answer' }
  /** The connection ends, and nothing was done. */
  | { readonly fault: 'cut' }
  /** No answer, and nothing was done. */
  | { readonly fault: 'stall' }
  /** The answer of a proxy in front of it. */
  | { readonly fault: 'proxy error' }
  /** A file that ends in the middle. */
  | { readonly fault: 'half' };

/** Telegram's Bot API on loopback, as the real one behaves; one bot, any chats. */
export class BotApi {
  readonly token = '123456:AAF-secret_of_the_bot';
  readonly me = {
    id: 123456,
    is_bot: true,
    first_name: 'Bot',
    username: 'Test_Bot',
    can_read_all_group_messages: false,
  };
  readonly calls: Call[] = [];
  readonly chats = new Chats(this.me);
  readonly updates = new UpdateQueue();
  readonly files = new Map<
    string,
    { readonly bytes: Buffer; readonly path: string; readonly size?: number }
  >();
  commands: unknown[] = [];
  readonly #faults: { readonly method: string; readonly fault: ApiFault; left: number }[] = [];
  readonly #server: Server;
  #isDown = false;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch(() => response.destroy());
    });
  }

  static async start(): Promise<BotApi> {
    const api = new BotApi();
    await new Promise<void>((resolve) => api.#server.listen(0, '127.0.0.1', resolve));
    afterTest(() => api.close());
    return api;
  }

  get root(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** For calls of this method; `send` for all that send. */
  addFault(method: string, fault: ApiFault, times = 1): void {
    this.#faults.push({ method, fault, left: times });
  }

  /** Every connection ends at once, as when the network is down. */
  goDown(isDown = true): void {
    this.#isDown = isDown;
    if (isDown) this.#server.closeAllConnections();
  }

  callsOf(method: string): Call[] {
    return this.calls.filter((call) => call.method === method);
  }

  addFile(
    id: string,
    bytes: Uint8Array | string,
    { path = `files/${id}`, size }: { path?: string; size?: number } = {},
  ): void {
    this.files.set(id, { bytes: Buffer.from(bytes), path, size });
  }

  async close(): Promise<void> {
    this.updates.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#isDown) return void request.socket.destroy();
    const url = new URL(request.url ?? '/', this.root);
    const [, isFile, token, rest = ''] = /^\/(file\/)?bot([^/]+)\/(.*)$/.exec(url.pathname) ?? [];
    const method = isFile === undefined ? rest : 'download';
    const call = await readCall(method, request);
    if (decodeURIComponent(token ?? '') !== this.token)
      return answer(response, new ApiRefusal(401, 'Unauthorized'));
    this.calls.push(call);
    const fault = this.#takeFault(method);
    switch (fault?.fault) {
      case 'cut':
        return void request.socket.destroy();
      case 'stall':
        return;
      case 'proxy error':
        response.writeHead(502, { 'content-type': 'text/html' });
        return void response.end('<html><body>502 Bad Gateway</body></html>');
      case 'refuse':
        return answer(response, new ApiRefusal(fault.code, fault.description, fault.parameters));
    }
    if (method === 'download') return this.#download(decodeURI(rest), response, fault?.fault === 'half');
    let result: unknown;
    try {
      result = await this.#carryOut(call, request);
    } catch (error) {
      if (!(error instanceof ApiRefusal)) throw error;
      result = error;
    }
    if (fault?.fault === 'lose answer') return void request.socket.destroy();
    answer(response, result);
  }

  #takeFault(method: string): ApiFault | undefined {
    const isSend = /^send(?!ChatAction)/.test(method);
    const planned = this.#faults.find(
      (mine) => mine.left > 0 && (mine.method === method || (mine.method === 'send' && isSend)),
    );
    if (planned !== undefined) planned.left--;
    return planned?.fault;
  }

  #download(path: string, response: ServerResponse, isHalf: boolean): void {
    const file = [...this.files.values()].find((mine) => mine.path === path);
    if (file === undefined) {
      response.writeHead(404);
      return void response.end();
    }
    response.writeHead(200, { 'content-length': file.bytes.length });
    if (!isHalf) return void response.end(file.bytes);
    response.write(file.bytes.subarray(0, file.bytes.length / 2), () => response.destroy());
  }

  async #carryOut(call: Call, request: IncomingMessage): Promise<unknown> {
    const { method, params } = call;
    switch (method) {
      case 'getMe':
        return this.me;
      case 'getUpdates':
        return this.updates.poll(params, request);
      case 'setWebhook':
        return this.updates.setWebhook(params);
      case 'getWebhookInfo':
        return {
          url: this.updates.webhook?.url ?? '',
          pending_update_count: this.updates.unconfirmed.length,
          ...this.updates.lastError,
        };
      case 'deleteWebhook':
        return this.updates.setWebhook({});
      case 'setMyCommands': {
        const commands = params.commands as { command: string; description: string }[];
        for (const { command, description } of commands)
          if (!/^[a-z0-9_]{1,32}$/.test(command) || description.length < 1 || description.length > 256)
            refuse('Bad Request: BOT_COMMAND_INVALID');
        if (commands.length > 100) refuse('Bad Request: BOT_COMMANDS_TOO_MUCH');
        this.commands = commands;
        return true;
      }
      case 'answerCallbackQuery':
        return true;
      case 'getFile': {
        const file = this.files.get(String(params.file_id));
        if (file === undefined) refuse('Bad Request: wrong file_id or the file is temporarily unavailable');
        if (file.bytes.length > 20_000_000) refuse('Bad Request: file is too big');
        const size = file.size ?? file.bytes.length;
        return { file_id: params.file_id, file_unique_id: 'u', file_size: size, file_path: file.path };
      }
      default:
        return this.chats.carryOut(call);
    }
  }
}

function answer(response: ServerResponse, result: unknown): void {
  const isRefused = result instanceof ApiRefusal;
  response.writeHead(isRefused ? result.code : 200, { 'content-type': 'application/json' });
  const { code, message, parameters } = isRefused ? result : ({} as Partial<ApiRefusal>);
  response.end(
    JSON.stringify(
      isRefused
        ? { ok: false, error_code: code, description: message, ...(parameters && { parameters }) }
        : { ok: true, result },
    ),
  );
}
