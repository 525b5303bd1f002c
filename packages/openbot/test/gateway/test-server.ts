/** A gateway with a few methods of the test, and clients of it. */
import { afterTest } from '../../../../test/setup/cleaning.ts';
import type { Clock } from '../../src/clock.ts';
import { type GatewayServer, openServer, type ServerOptions } from '../../src/gateway/open-server.ts';
import type { GatewaySettings } from '../../src/gateway/settings.ts';
import { connectSocket, type Socket } from '../../src/gateway/sockets/web-socket.ts';
import { declareMethod } from '../../src/gateway-protocol/method.ts';
import { anyValue, flag, listOf, maybe, text } from '../../src/gateway-protocol/param-shapes.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

export const TOKEN = 'a-token-of-full-rights';
export const MAIN_TOKEN = 'a-token-for-main';

export interface TestServices {
  /** What `test.wait` waits for. */
  readonly gate: PromiseWithResolvers<void>;
  readonly server: GatewayServer<TestServices>;
}

const method = declareMethod<TestServices>();

export const METHODS = [
  method({ name: 'test.echo', scope: 'operator.read', params: {}, handle: (params) => ({ params }) }),
  method({
    name: 'test.write',
    scope: 'operator.write',
    params: { keys: listOf(text) },
    handle: () => ({ ok: true }),
  }),
  method({
    name: 'test.admin',
    scope: 'operator.admin',
    params: { key: maybe(text), secret: maybe(anyValue) },
    handle: () => ({ ok: true }),
  }),
  method({
    name: 'test.adminWait',
    scope: 'operator.admin',
    isListed: false,
    params: {},
    handle: (_, { services }) => services.gate.promise,
  }),
  method({
    name: 'test.wait',
    scope: 'operator.read',
    params: {},
    handle: async (_, { services, respondFirst }) => {
      respondFirst({ status: 'accepted' });
      await services.gate.promise;
      return { status: 'ok' };
    },
  }),
  method({
    name: 'test.subscribe',
    scope: 'operator.read',
    params: { address: maybe(text), isOver: maybe(flag) },
    handle: ({ address, isOver }, { caller: { subscriptions } }) => {
      if (isOver && address !== undefined) subscriptions?.removeMessages(address);
      else if (address === undefined) subscriptions?.addSessions();
      else subscriptions?.addMessages(address);
      return { subscribed: true };
    },
  }),
  method({
    name: 'test.throw',
    scope: 'operator.read',
    params: {},
    isListed: false,
    handle: () => {
      throw new TypeError('a secret detail');
    },
  }),
  method({ name: 'test.loop', scope: 'operator.read', params: {}, handle: () => ({ big: 1n }) }),
  method({ name: 'health', scope: 'operator.read', params: {}, handle: () => ({ ok: true }) }),
];

export interface TestGateway extends GatewayServer<TestServices> {
  readonly stateDir: string;
  readonly services: TestServices;
  /** Asked at each use. */
  readonly settings: { -readonly [K in keyof GatewaySettings]: GatewaySettings[K] };
  readonly lines: string[];
  readonly url: string;
  readonly httpUrl: string;
}

interface TestOptions extends Partial<Omit<ServerOptions<TestServices>, 'settings'>> {
  readonly settings?: Partial<GatewaySettings>;
  readonly isStarting?: boolean;
  readonly clock?: Clock;
}

export async function startGateway({
  settings,
  isStarting,
  ...options
}: TestOptions = {}): Promise<TestGateway> {
  const stateDir = options.stateDir ?? makeTempFolder();
  const lines: string[] = [];
  const present: TestGateway['settings'] = {
    token: TOKEN,
    agentTokens: { main: MAIN_TOKEN },
    allowedHosts: [],
    trustedProxies: [],
    allowedOrigins: [],
    chatCompletions: false,
    responses: false,
    metrics: false,
    webhookBytes: 2048,
    ...settings,
  };
  const server = await openServer<TestServices>({
    stateDir,
    port: 0,
    host: '127.0.0.1',
    version: '0.0.0',
    methods: METHODS,
    settings: () => present,
    log: (line) => lines.push(line),
    ...options,
  });
  const services = { gate: Promise.withResolvers<void>(), server };
  if (isStarting !== true) server.serve(services);
  afterTest(() => server.close());
  const place = `127.0.0.1:${server.port}`;
  return {
    ...server,
    stateDir,
    services,
    settings: present,
    lines,
    url: `ws://${place}`,
    httpUrl: `http://${place}`,
  };
}

export interface Frame {
  readonly type: string;
  readonly id?: string;
  readonly ok?: boolean;
  readonly event?: string;
  readonly seq?: number;
  readonly payload?: Json;
  readonly error?: { readonly code: string; readonly message: string; readonly details?: Json };
}

export type Json = ReturnType<typeof JSON.parse>;

/** A client that remembers all frames, and waits for those that a test asks for. */
export class TestClient {
  readonly frames: Frame[] = [];
  readonly socket: Socket;
  readonly closed: Promise<readonly [code: number, reason: string]>;
  #waiting: (() => void)[] = [];
  #nextId = 1;

  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.socket = connectSocket(url, headers);
    this.socket.on('message', (data) => {
      this.frames.push(JSON.parse(data.toString()));
      for (const wake of this.#waiting.splice(0)) wake();
    });
    this.socket.on('error', () => {});
    this.closed = new Promise((resolve) => {
      this.socket.on('close', (code, reason) => {
        resolve([code, reason.toString()]);
        for (const wake of this.#waiting.splice(0)) wake();
      });
    });
    afterTest(() => this.socket.terminate());
  }

  async find(isIt: (frame: Frame) => boolean, after = 0): Promise<Frame> {
    let isClosed = false;
    this.closed.then(() => {
      isClosed = true;
    });
    for (;;) {
      const found = this.frames.slice(after).find(isIt);
      if (found !== undefined) return found;
      if (isClosed) throw new Error(`The connection is closed: ${JSON.stringify(await this.closed)}`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  event(name: string): Promise<Frame> {
    return this.find(({ event }) => event === name);
  }

  sendText(text: string): void {
    this.socket.send(text);
  }

  async request(method: string, params?: unknown): Promise<Frame> {
    const id = `t:${this.#nextId++}`;
    this.sendText(JSON.stringify({ type: 'req', id, method, params }));
    return this.find((frame) => frame.id === id);
  }

  async connect(params: unknown): Promise<Frame> {
    await this.event('connect.challenge');
    return this.request('connect', params);
  }
}

export function connectParams(more: object = {}): object {
  return {
    minProtocol: 4,
    maxProtocol: 4,
    client: { id: 'cli', version: '2026.9.6', platform: 'linux', deviceFamily: 'Linux', mode: 'cli' },
    role: 'operator',
    scopes: ['operator.admin', 'operator.read', 'operator.write'],
    caps: [],
    auth: { token: TOKEN },
    ...more,
  };
}

/** A client that said hello. */
export async function openClient({ url }: Pick<TestGateway, 'url'>, more: object = {}): Promise<TestClient> {
  const client = new TestClient(url);
  const hello = await client.connect(connectParams(more));
  if (hello.ok !== true) throw new Error(JSON.stringify(hello.error));
  return client;
}

/** Waits for a state as long as the test may take. */
export async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 5));
}
