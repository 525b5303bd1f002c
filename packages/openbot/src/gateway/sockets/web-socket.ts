/** What is used of `ws`, which has no types of its own. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import * as ws from 'ws';

export interface Socket {
  /** Bytes that were sent and wait for the client to read them. */
  readonly bufferedAmount: number;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  /** Without the closing frames. */
  terminate(): void;
  ping(): void;
  pause(): void;
  resume(): void;
  on(event: 'open' | 'pong', listener: () => void): void;
  on(event: 'message', listener: (data: Buffer, isBinary: boolean) => void): void;
  on(event: 'close', listener: (code: number, reason: Buffer) => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
}

export interface SocketServer {
  handleUpgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    onSocket: (socket: Socket) => void,
  ): void;
}

/** A server that takes connections from a server of HTTP. It compresses nothing: what clients send could be made to fill the memory. */
export function makeSocketServer(largestFrame: number): SocketServer {
  return new ws.WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: largestFrame,
  });
}

/** For a client that has said who it is. `ws` has no name for this; a test holds that it works. */
export function allowFramesUpTo(socket: Socket, bytes: number): void {
  (socket as unknown as { _receiver: { _maxPayload: number } })._receiver._maxPayload = bytes;
}

/** Of a message that is not whole yet, as it is kept. `ws` has no name for this either. */
export function bytesUnderWay(socket: Socket): number {
  const { _receiver: receiver } = socket as unknown as {
    readonly _receiver: { readonly _bufferedBytes: number; readonly _messageLength: number };
  };
  return receiver._bufferedBytes + receiver._messageLength;
}

/** A connection as a client makes it. */
export function connectSocket(url: string, headers: Readonly<Record<string, string>> = {}): Socket {
  return new ws.WebSocket(url, { headers, perMessageDeflate: false });
}
