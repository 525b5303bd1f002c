import { OpenBotError } from '@openbot/sessions';
import type { GatewayRecord } from '../gateway-process/find-gateway.ts';
import { EARLY } from './contract.ts';
import { openTextSocket } from './web-socket.ts';

/** A gateway that a command asks. It keeps the process running while something is asked. */
export interface GatewayConnection {
  /**
   * Rejects with the error of the method, as it would be without a gateway, and with GATEWAY_UNREACHABLE when the connection
   * ends first. `onEarly` gets what is sent before the result.
   */
  call<T>(method: string, params: object, onEarly?: (payload: unknown) => void): Promise<T>;
  close(): void;
}

interface WireError {
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

interface Frame {
  readonly type: 'res' | 'event';
  readonly id?: string;
  readonly ok?: boolean;
  readonly payload?: unknown;
  readonly error?: WireError;
  readonly event?: string;
}

interface Waiting {
  resolve(payload: unknown): void;
  reject(error: unknown): void;
  onEarly?(payload: unknown): void;
}

const CONNECT_MS = 15_000;

/** Throws GATEWAY_UNREACHABLE. */
export async function connectGateway(
  { url, token, version }: GatewayRecord,
  timeoutMs = CONNECT_MS,
): Promise<GatewayConnection> {
  const waiting = new Map<string, Waiting>();
  const opened = Promise.withResolvers<void>();
  let count = 0;
  let closed: OpenBotError | undefined;
  let isOpen = false;
  const request = (method: string, params: object, onEarly?: (payload: unknown) => void) => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    if (closed !== undefined) return Promise.reject(closed);
    const id = String(++count);
    waiting.set(id, { resolve, reject, onEarly });
    socket.hold(true);
    socket.send(JSON.stringify({ type: 'req', id, method, params }));
    return promise;
  };
  const onFrame = (frame: Frame) => {
    if (frame.type === 'event') {
      if (frame.event === 'connect.challenge')
        request('connect', helloOf({ token, version })).then(() => opened.resolve(), opened.reject);
      return;
    }
    const one = waiting.get(frame.id ?? '');
    if (one === undefined) return;
    const early = readEarly(frame.payload);
    if (frame.ok && early !== undefined) return one.onEarly?.(early.payload);
    waiting.delete(frame.id ?? '');
    if (waiting.size === 0) socket.hold(false);
    if (frame.ok) one.resolve(frame.payload);
    else one.reject(readError(frame.error));
  };
  const socket = openTextSocket(url, {
    onOpen: () => {},
    onText: (text) => onFrame(JSON.parse(text) as Frame),
    onClose: (reason) => {
      closed = isOpen ? lost(url, reason) : unreachable(url, reason);
      opened.reject(closed);
      for (const { reject } of waiting.values()) reject(closed);
      waiting.clear();
    },
  });
  const timer = setTimeout(() => opened.reject(unreachable(url, 'it does not answer')), timeoutMs);
  try {
    await opened.promise;
    isOpen = true;
  } catch (error) {
    socket.close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
  return {
    call: async (method, params, onEarly) => (await request(method, params, onEarly)) as never,
    close: () => socket.close(),
  };
}

/** Clients of other products have to call themselves `cli`. */
function helloOf({ token, version }: Pick<GatewayRecord, 'token' | 'version'>) {
  return {
    minProtocol: 4,
    maxProtocol: 4,
    client: { id: 'cli', displayName: 'openbot', version, platform: process.platform, mode: 'cli' },
    caps: [],
    role: 'operator',
    scopes: ['operator.admin'],
    auth: { token },
  };
}

function readEarly(payload: unknown): { readonly payload: unknown } | undefined {
  if (typeof payload !== 'object' || payload === null || !(EARLY in payload)) return undefined;
  return { payload: payload[EARLY] };
}

/** As it was thrown: methods send the code of an error of ours as the reason. */
function readError(error: WireError | undefined): OpenBotError {
  const { reason, hint } = error?.details ?? {};
  return new OpenBotError(
    typeof reason === 'string' ? reason : 'GATEWAY_REFUSED',
    error?.message ?? 'The gateway refused the request',
    { ...(typeof hint === 'string' && { hint }) },
  );
}

function unreachable(url: string, why: string): OpenBotError {
  return new OpenBotError('GATEWAY_UNREACHABLE', `The gateway on ${url} cannot be asked: ${why}`, {
    hint: "'openbot gateway logs' may say why. To do it without the gateway, add --local",
  });
}

function lost(url: string, why: string): OpenBotError {
  return new OpenBotError(
    'GATEWAY_UNREACHABLE',
    `The gateway on ${url} went away before it had answered: ${why}`,
    {
      hint: "What it accepted is kept, and goes on when it is back. 'openbot gateway status' shows whether it is",
    },
  );
}
