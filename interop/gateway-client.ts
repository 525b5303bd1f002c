/** A client of OpenClaw's gateway protocol: requests with answers, over one WebSocket on loopback. */
import { randomUUID } from 'node:crypto';

export interface GatewayClient {
  /** The payload of the answer; `final` waits for the last of several answers to one request. */
  request(method: string, params: object, options?: { readonly final?: boolean }): Promise<unknown>;
  /** The payload of the next event of this name that `isIt` takes. */
  waitForEvent<Payload>(event: string, isIt: (payload: Payload) => boolean): Promise<Payload>;
  close(): void;
}

export interface Frame {
  readonly type: string;
  readonly id?: string;
  readonly event?: string;
  readonly ok?: boolean;
  readonly payload?: unknown;
  readonly error?: { readonly code?: string; readonly message?: string };
}

interface Listener {
  hear(frame: Frame): boolean;
  reject(error: Error): void;
}

interface Waiting {
  readonly final: boolean;
  resolve(payload: unknown): void;
  reject(error: Error): void;
}

export interface ConnectOptions {
  /** Capabilities, such as `tool-events`. */
  readonly caps?: readonly string[];
  /** Every frame that comes. */
  readonly hear?: (frame: Frame) => void;
}

const PROTOCOL = 4;

export async function connectGateway(
  port: number,
  token: string,
  options: ConnectOptions = {},
): Promise<GatewayClient> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`);
  const waiting = new Map<string, Waiting>();
  const listeners = new Set<Listener>();

  function fail(reason: string): void {
    for (const one of [...waiting.values(), ...listeners]) one.reject(new Error(reason));
    waiting.clear();
    listeners.clear();
  }

  const challenged = new Promise<void>((resolve, reject) => {
    socket.addEventListener('error', () => reject(new Error('no connection to the gateway')));
    socket.addEventListener('close', (event) => {
      fail(`the gateway closed the connection: ${event.code} ${event.reason}`);
      reject(new Error(`the gateway closed the connection: ${event.code} ${event.reason}`));
    });
    socket.addEventListener('message', ({ data }) => {
      const frame = JSON.parse(String(data)) as Frame;
      options.hear?.(frame);
      if (frame.event === 'connect.challenge') resolve();
      for (const listener of listeners) if (listener.hear(frame)) listeners.delete(listener);
      if (frame.type !== 'res' || frame.id === undefined) return;
      const one = waiting.get(frame.id);
      if (one === undefined || (one.final && isAccepted(frame))) return;
      waiting.delete(frame.id);
      if (frame.ok === true) one.resolve(frame.payload);
      else one.reject(new Error(`${frame.error?.code}: ${frame.error?.message}`));
    });
  });

  function request(
    method: string,
    params: object,
    options: { readonly final?: boolean } = {},
  ): Promise<unknown> {
    if (socket.readyState !== WebSocket.OPEN) {
      return Promise.reject(new Error(`${method}: the connection to the gateway is closed`));
    }
    const id = randomUUID();
    const answer = new Promise<unknown>((resolve, reject) => {
      waiting.set(id, { final: options.final === true, resolve, reject });
    });
    socket.send(JSON.stringify({ type: 'req', id, method, params }));
    return answer;
  }

  function waitForEvent<Payload>(event: string, isIt: (payload: Payload) => boolean): Promise<Payload> {
    return new Promise((resolve, reject) => {
      listeners.add({
        reject,
        hear(frame) {
          const payload = frame.payload as Payload;
          const heard = frame.event === event && isIt(payload);
          if (heard) resolve(payload);
          return heard;
        },
      });
    });
  }

  await challenged;
  const connected = request('connect', {
    minProtocol: PROTOCOL,
    maxProtocol: PROTOCOL,
    client: { id: 'gateway-client', version: '1.0.0', platform: process.platform, mode: 'backend' },
    role: 'operator',
    scopes: ['operator.admin', 'operator.read', 'operator.write'],
    caps: options.caps ?? [],
    auth: { token },
  });
  await connected.catch((error: unknown) => {
    socket.close();
    throw error;
  });
  return { request, waitForEvent, close: () => socket.close() };
}

function isAccepted(frame: Frame): boolean {
  return frame.ok === true && (frame.payload as { status?: string } | undefined)?.status === 'accepted';
}
