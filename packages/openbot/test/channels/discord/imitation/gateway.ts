import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { World } from './world.ts';

interface Dispatch {
  readonly op: 0;
  readonly t: string;
  readonly s: number;
  readonly d: unknown;
}

interface Session {
  readonly id: string;
  readonly events: Dispatch[];
  last: number;
  /** The sequence that the client has told in its last heartbeat. */
  told: number;
  socket?: WebSocket;
}

const MESSAGE_CONTENT = 1 << 15;

/** The WebSocket side: sessions that outlive their connections, and send again what a client has missed. */
export class Gateway {
  readonly #world: World;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #sessions = new Map<string, Session>();
  readonly #sockets = new Set<WebSocket>();
  readonly #waiters = new Set<() => void>();
  #made = 0;
  /** `identify` and `resume <seq>`, as they came. */
  readonly opened: string[] = [];
  heartbeats = 0;
  heartbeatInterval = 45_000;
  /** False: the privileged intent is switched off in the developer portal. */
  allowsContent = true;
  /** False: heartbeats get no answer. */
  acknowledges = true;
  /** False: connections are refused before the handshake. */
  isOpen = true;
  /** A RESUME gets no answer. */
  ignoresResume = false;
  /** The next so many connections are closed at once with this code. */
  closeNext: { code: number; times: number } | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // A client may go in the middle of it.
    socket.on('error', () => {});
    if (!this.isOpen) {
      socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n');
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (client) =>
      this.#greet(client, request.headers.host ?? ''),
    );
  }

  #greet(socket: WebSocket, host: string): void {
    this.#sockets.add(socket);
    socket.on('close', () => {
      this.#sockets.delete(socket);
      for (const session of this.#sessions.values())
        if (session.socket === socket) session.socket = undefined;
      this.#changed();
    });
    socket.on('error', () => {});
    socket.on('message', (data) => this.#read(socket, host, JSON.parse(String(data))));
    if (this.closeNext !== undefined && this.closeNext.times > 0) {
      this.closeNext.times--;
      socket.close(this.closeNext.code);
      return;
    }
    send(socket, { op: 10, d: { heartbeat_interval: this.heartbeatInterval } });
  }

  #read(socket: WebSocket, host: string, frame: { op: number; d: Record<string, unknown> }): void {
    if (frame.op === 1) {
      this.heartbeats++;
      const session = this.#of(socket);
      if (session !== undefined) session.told = Number(frame.d ?? 0);
      if (this.acknowledges) send(socket, { op: 11 });
    }
    if (frame.op === 2) this.#identify(socket, host, frame.d);
    if (frame.op === 6) this.#resume(socket, frame.d);
    this.#changed();
  }

  #identify(socket: WebSocket, host: string, { token, intents }: Record<string, unknown>): void {
    this.opened.push('identify');
    if (token !== this.#world.token) {
      socket.close(4004, 'Authentication failed.');
      return;
    }
    if ((Number(intents) & MESSAGE_CONTENT) !== 0 && !this.allowsContent) {
      socket.close(4014, 'Disallowed intent(s).');
      return;
    }
    this.#made++;
    const session: Session = { id: `session-${this.#made}`, events: [], last: 0, told: 0, socket };
    this.#sessions.set(session.id, session);
    const guilds = [...this.#world.guilds.values()];
    this.#give(session, 'READY', {
      v: 10,
      user: this.#world.self,
      guilds: guilds.map(({ id }) => ({ id, unavailable: true })),
      session_id: session.id,
      resume_gateway_url: `ws://${host}/resume`,
      application: { id: this.#world.applicationId, flags: 0 },
    });
    for (const { id, name } of guilds) {
      const all = [...this.#world.channels.values()].filter(({ guild_id }) => guild_id === id);
      const isThread = ({ type }: { type: number }) => type === 11 || type === 12;
      this.#give(session, 'GUILD_CREATE', {
        id,
        name,
        channels: all.filter((channel) => !isThread(channel)).map(({ guild_id: _, ...rest }) => rest),
        threads: all.filter(isThread),
      });
    }
  }

  #resume(socket: WebSocket, { token, session_id, seq }: Record<string, unknown>): void {
    this.opened.push(`resume ${seq}`);
    if (token !== this.#world.token) {
      socket.close(4004, 'Authentication failed.');
      return;
    }
    if (this.ignoresResume) return;
    const session = this.#sessions.get(String(session_id));
    if (session === undefined) {
      send(socket, { op: 9, d: false });
      return;
    }
    if (Number(seq) > session.last) {
      socket.close(4007, 'Invalid seq.');
      return;
    }
    session.socket = socket;
    for (const event of session.events) if (event.s > Number(seq)) send(socket, event);
    this.#give(session, 'RESUMED', {});
  }

  /** Tells all sessions, also those whose client is away. */
  dispatch(t: string, d: unknown): void {
    for (const session of this.#sessions.values()) this.#give(session, t, d);
  }

  #give(session: Session, t: string, d: unknown): void {
    session.last++;
    const event: Dispatch = { op: 0, t, s: session.last, d };
    session.events.push(event);
    if (session.socket !== undefined) send(session.socket, event);
  }

  /** Resolves when the clients have told that they have seen everything, or have lost their connection. */
  async settled({ isPatient = false }: { readonly isPatient?: boolean } = {}): Promise<void> {
    const sessions = [...this.#sessions.values()].map((session) => ({
      session,
      wanted: session.last,
      socket: session.socket,
    }));
    await this.until(() =>
      sessions.every(({ session, wanted, socket }) => {
        if (socket === undefined || session.told >= wanted) return true;
        const isLost = session.socket !== socket;
        if (isLost && (!isPatient || this.#sessions.get(session.id) !== session)) return true;
        if (session.socket !== undefined) send(session.socket, { op: 1, d: null });
        return false;
      }),
    );
  }

  /** Resolves when a client is connected with a session. */
  async connected(): Promise<void> {
    await this.until(() => [...this.#sessions.values()].some(({ socket }) => socket !== undefined));
  }

  /** Looks again whenever something has happened, and every few ms. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer);
          this.#waiters.delete(done);
          resolve();
        };
        const timer = setTimeout(done, 5);
        this.#waiters.add(done);
      });
    }
  }

  #changed(): void {
    for (const waiter of [...this.#waiters]) waiter();
  }

  #of(socket: WebSocket): Session | undefined {
    return [...this.#sessions.values()].find((session) => session.socket === socket);
  }

  /** Connections end without a word. */
  drop(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  closeAll(code: number): void {
    for (const socket of this.#sockets) socket.close(code);
  }

  sendAll(frame: { op: number; d?: unknown }): void {
    for (const socket of this.#sockets) send(socket, frame);
  }

  /** Sessions that can no longer be resumed. */
  forgetSessions(): void {
    this.#sessions.clear();
  }

  stop(): void {
    this.drop();
    this.#server.close();
  }
}

function send(socket: WebSocket, frame: unknown): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame));
}
