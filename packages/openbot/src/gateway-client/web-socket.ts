/**
 * The client's half of a WebSocket, for texts on loopback. Node's own loads undici, which takes 33 ms, and `ws` takes 17;
 * this takes what node:net takes, 2.
 */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

export interface TextSocket {
  send(text: string): void;
  /** Whether it keeps the process running. */
  hold(isHeld: boolean): void;
  close(): void;
}

export interface SocketListener {
  onOpen(): void;
  onText(text: string): void;
  /** Called once, also where it was never open. */
  onClose(reason: string): void;
}

const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

export function openTextSocket(url: string, listener: SocketListener): TextSocket {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = connect({ host, port: Number(port) });
  socket.setNoDelay(true);
  let isOver = false;
  const end = (reason: string) => {
    if (isOver) return;
    isOver = true;
    socket.destroy();
    listener.onClose(reason);
  };
  const reader = new FrameReader((opcode, payload) => {
    if (opcode === TEXT) listener.onText(payload.toString('utf8'));
    else if (opcode === PING) write(socket, PONG, payload);
    else if (opcode === CLOSE) end(payload.length > 2 ? payload.toString('utf8', 2) : 'closed');
  });
  let head: Buffer | undefined = Buffer.alloc(0);
  socket.on('connect', () => {
    socket.write(
      [
        'GET / HTTP/1.1',
        `Host: ${hostname}:${port}`,
        'Upgrade: websocket',
        'Connection: Upgrade',
        `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
        'Sec-WebSocket-Version: 13',
        '\r\n',
      ].join('\r\n'),
    );
  });
  socket.on('data', (piece) => {
    if (head === undefined) return reader.add(piece);
    head = Buffer.concat([head, piece]);
    const at = head.indexOf('\r\n\r\n');
    if (at < 0) return;
    const [status = ''] = head.toString('latin1', 0, at).split('\r\n');
    if (!/^HTTP\/1\.1 101 /.test(status)) return end(`it answered ${status}`);
    const rest = head.subarray(at + 4);
    head = undefined;
    listener.onOpen();
    reader.add(rest);
  });
  socket.on('error', ({ message }) => end(message));
  socket.on('close', () => end('the connection was closed'));
  return {
    send: (text) => write(socket, TEXT, Buffer.from(text)),
    hold: (isHeld) => void (isHeld ? socket.ref() : socket.unref()),
    close: () => {
      if (isOver) return;
      write(socket, CLOSE, Buffer.from([0x03, 0xe8]));
      isOver = true;
      socket.end();
      // A server that does not close its side must not hold up the end of a command.
      socket.unref();
    },
  };
}

/** One frame, masked as clients must. */
function write(socket: Socket, opcode: number, payload: Buffer): void {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  head[1] = 0x80 | (length < 126 ? length : length < 65_536 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  const mask = randomBytes(4);
  const masked = Buffer.allocUnsafe(length);
  for (let at = 0; at < length; at++) masked[at] = payload[at]! ^ mask[at & 3]!;
  socket.write(Buffer.concat([head, mask, masked]));
}

/** Puts frames together from pieces, and messages from frames. */
class FrameReader {
  readonly #onMessage: (opcode: number, payload: Buffer) => void;
  #pending: Buffer[] = [];
  #length = 0;
  /** Of a message in several frames. */
  #parts: Buffer[] = [];
  #opcode = 0;

  constructor(onMessage: (opcode: number, payload: Buffer) => void) {
    this.#onMessage = onMessage;
  }

  add(piece: Buffer): void {
    if (piece.length > 0) this.#pending.push(piece);
    this.#length += piece.length;
    for (let need = this.#readHead(); need !== undefined && this.#length >= need.end; need = this.#readHead())
      this.#take(need);
  }

  #readHead(): { readonly at: number; readonly end: number; readonly first: number } | undefined {
    // Only the first bytes are looked at, so that a large frame is put together once.
    while (this.#pending.length > 1 && this.#pending[0]!.length < 10)
      this.#pending.splice(0, 2, Buffer.concat(this.#pending.slice(0, 2)));
    const [start] = this.#pending;
    if (start === undefined || start.length < 2) return undefined;
    const size = start[1]! & 0x7f;
    const at = size < 126 ? 2 : size === 126 ? 4 : 10;
    if (start.length < at) return undefined;
    const length =
      size < 126 ? size : size === 126 ? start.readUInt16BE(2) : Number(start.readBigUInt64BE(2));
    return { at, end: at + length, first: start[0]! };
  }

  #take({ at, end, first }: { readonly at: number; readonly end: number; readonly first: number }): void {
    const all = this.#pending.length === 1 ? this.#pending[0]! : Buffer.concat(this.#pending);
    const payload = all.subarray(at, end);
    const rest = all.subarray(end);
    this.#pending = rest.length === 0 ? [] : [rest];
    this.#length = rest.length;
    const opcode = first & 0x0f;
    // Frames of control may come between those of a message.
    if (opcode >= 8) {
      this.#onMessage(opcode, payload);
      return;
    }
    if (opcode !== 0) this.#opcode = opcode;
    this.#parts.push(payload);
    if ((first & 0x80) === 0) return;
    const message = this.#parts.length === 1 ? payload : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#onMessage(this.#opcode, message);
  }
}
