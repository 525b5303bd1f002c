/** One WebSocket: first the handshake, then requests and events until it is closed. */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { formatChallenge, formatRefusal, formatResponse, parseFrame } from '../../gateway-protocol/frames.ts';
import type { GatewayEvent } from '../../gateway-protocol/gateway-event.ts';
import {
  HANDSHAKE_MS,
  LARGEST_BUFFER,
  LARGEST_FRAME,
  MOST_PENDING_REQUESTS,
  MOST_SUBSCRIPTIONS,
  SLOW_BUFFER,
} from '../../gateway-protocol/limits.ts';
import type { Caller } from '../../gateway-protocol/method.ts';
import { hasScope } from '../../gateway-protocol/scopes.ts';
import { refuse, type WireError } from '../../gateway-protocol/wire-errors.ts';
import type { Admission, Challenge } from '../admission/admit.ts';
import { type HandshakeRefusal, NOT_CONNECT } from '../admission/handshake-refusals.ts';
import type { Peer } from '../admission/peer.ts';
import type { Dispatcher } from '../dispatch.ts';
import type { Figures } from '../figures.ts';
import { nameSender, type Share, type Shares } from '../shares.ts';
import { allowFramesUpTo, bytesUnderWay, type Socket } from './web-socket.ts';

export interface ConnectionParts {
  readonly clock: Clock;
  readonly dispatcher: Dispatcher;
  readonly figures: Figures;
  readonly incoming: Shares;
  admit(peer: Peer, challenge: Challenge, params: unknown): Promise<Admission | HandshakeRefusal>;
  hello(connection: Connection, admission: Admission): unknown;
  onOpen(connection: Connection): void;
  onClosed(connection: Connection, wasOpen: boolean): void;
  log(line: string): void;
}

type Phase =
  | { readonly at: 'challenged'; readonly challenge: Challenge; readonly cancelTimer: () => void }
  | { readonly at: 'admitting'; readonly early: string[] }
  | { readonly at: 'open'; readonly caller: Caller; readonly credential?: string }
  | { readonly at: 'closed' };

/** A client that does not answer the closing frame, as one that reads nothing, is cut off. */
const CLOSE_MS = 2_000;
const MOST_EARLY_FRAMES = 16;
const LONGEST_REASON = 120;

const TOO_MANY: WireError = {
  code: 'UNAVAILABLE',
  message: 'too many requests under way on this connection',
  retryable: true,
  retryAfterMs: 1_000,
};

export class Connection {
  readonly connId = randomUUID();
  readonly connectedAt: number;
  readonly peer: Peer;
  readonly #socket: Socket;
  readonly #parts: ConnectionParts;
  readonly #gone = new AbortController();
  readonly #messages = new Set<string>();
  #phase: Phase;
  #incoming: Share | undefined;
  #hearsSessions = false;
  #seq = 0;
  #pending = 0;
  #unansweredPings = 0;
  /** A close was asked for: nothing more is sent or heard. */
  #isEnding = false;

  constructor(socket: Socket, peer: Peer, parts: ConnectionParts) {
    this.#socket = socket;
    this.#parts = parts;
    this.peer = peer;
    this.connectedAt = parts.clock.now();
    const challenge = { nonce: randomUUID(), ts: parts.clock.now() };
    const cancelTimer = parts.clock.after(HANDSHAKE_MS, () => this.close(1000));
    this.#phase = { at: 'challenged', challenge, cancelTimer };
    socket.on('message', (data) => this.#hear(data.toString('utf8')));
    socket.on('pong', () => {
      this.#unansweredPings = 0;
    });
    // `ws` closes it then, with the code of the fault.
    socket.on('error', () => {});
    socket.on('close', () => this.#end());
    socket.send(formatChallenge(challenge.nonce, challenge.ts));
  }

  /** Undefined before hello and after the close. */
  get caller(): Caller | undefined {
    return this.#phase.at === 'open' && !this.#isEnding ? this.#phase.caller : undefined;
  }

  /** Of the token that opened it; undefined where the key of a device did. */
  get credential(): string | undefined {
    return this.#phase.at === 'open' ? this.#phase.credential : undefined;
  }

  get pendingRequests(): number {
    return this.#pending;
  }

  /** Whether it is for this connection. */
  wants({
    scope = 'operator.read',
    agentId,
    cap,
    audience,
  }: Omit<GatewayEvent, 'event' | 'payload'>): boolean {
    const { caller } = this;
    if (caller === undefined || !hasScope(caller.scopes, scope)) return false;
    if (agentId !== undefined && caller.agentIds?.has(agentId) === false) return false;
    if (cap !== undefined && !caller.caps.has(cap)) return false;
    if (audience === undefined || this.#hearsSessions) return true;
    return audience.to === 'messages' && this.#messages.has(audience.address);
  }

  /** @param format the text of an event with a seq */
  sendEvent(format: (seq: number) => string, { isDroppable = false } = {}): void {
    this.#seq++;
    if (isDroppable && this.#socket.bufferedAmount > SLOW_BUFFER) this.#parts.figures.eventsDropped++;
    else if (this.#send(format(this.#seq))) this.#parts.figures.eventsSent++;
  }

  ping(): void {
    if (this.#isEnding) return;
    if (this.#unansweredPings >= 2) this.#socket.terminate();
    else {
      this.#unansweredPings++;
      this.#socket.ping();
    }
  }

  /** Bytes came. A message that is not whole yet has its part of what all of them may have. */
  countIncoming(): void {
    if (this.#isEnding || this.#incoming?.hold(bytesUnderWay(this.#socket)) !== false) return;
    this.close(1013, 'too much is being read');
    // What follows would be kept until the client answers the close.
    this.#socket.pause();
  }

  close(code: number, reason = ''): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#socket.close(code, cutToBytes(reason, LONGEST_REASON));
    const cancel = this.#parts.clock.after(CLOSE_MS, () => this.#socket.terminate());
    this.#gone.signal.addEventListener('abort', cancel);
  }

  #send(text: string): boolean {
    if (this.#isEnding || this.#phase.at === 'closed') return false;
    if (this.#socket.bufferedAmount > LARGEST_BUFFER) {
      this.#parts.figures.slowConsumers++;
      this.close(1008, 'slow consumer');
      return false;
    }
    this.#socket.send(text);
    return true;
  }

  #hear(text: string): void {
    if (this.#isEnding) return;
    const phase = this.#phase;
    if (phase.at === 'open') this.#serve(text, phase.caller);
    else if (phase.at === 'challenged') this.#shakeHands(text, phase.challenge);
    else if (phase.at === 'admitting' && phase.early.push(text) > MOST_EARLY_FRAMES)
      this.close(1008, 'too many frames before hello');
  }

  #shakeHands(text: string, challenge: Challenge): void {
    const frame = parseFrame(text);
    if (frame.kind === 'noise') this.close(1000);
    else if (frame.kind === 'malformed') this.close(1008, 'invalid request frame');
    else if (frame.method !== 'connect') this.#refuse(frame.id, NOT_CONNECT);
    else {
      const early: string[] = [];
      // The timer runs on: who is let in slowly is cut off, too.
      const { cancelTimer } = this.#phase as Extract<Phase, { at: 'challenged' }>;
      this.#gone.signal.addEventListener('abort', cancelTimer);
      this.#phase = { at: 'admitting', early };
      this.#parts
        .admit(this.peer, challenge, frame.params)
        .then((answer) => this.#conclude(frame.id, answer, early, cancelTimer))
        .catch((error: unknown) => {
          this.#parts.log(`A handshake failed: ${(error as Error).message}`);
          this.#refuse(frame.id, {
            kind: 'refused',
            error: { code: 'UNAVAILABLE', message: 'internal error', retryable: true },
            close: [1011, 'internal error'],
          });
        });
    }
  }

  #conclude(
    id: string,
    answer: Admission | HandshakeRefusal,
    early: readonly string[],
    cancelTimer: () => void,
  ): void {
    if (this.#isEnding || this.#phase.at === 'closed') return;
    if (answer.kind === 'refused') {
      this.#refuse(id, answer);
      return;
    }
    cancelTimer();
    allowFramesUpTo(this.#socket, LARGEST_FRAME);
    this.#incoming = this.#parts.incoming.open(nameSender(answer, this.peer.address));
    this.#phase = { at: 'open', caller: this.#makeCaller(answer), credential: answer.credential };
    this.#send(formatResponse(id, this.#parts.hello(this, answer)));
    this.#parts.onOpen(this);
    for (const text of early) this.#hear(text);
  }

  #makeCaller({ via, scopes, agentIds, deviceId, mayCommand, client, caps }: Admission): Caller {
    return {
      connId: this.connId,
      scopes: new Set(scopes),
      agentIds,
      deviceId,
      mayCommand,
      isCommand: via === 'command',
      client,
      caps: new Set(caps),
      subscriptions: {
        addSessions: () => {
          this.#hearsSessions = true;
        },
        addMessages: (address) => {
          if (this.#messages.size >= MOST_SUBSCRIPTIONS)
            throw refuse('INVALID_REQUEST', 'too many subscriptions on this connection');
          this.#messages.add(address);
        },
        removeMessages: (address) => void this.#messages.delete(address),
      },
    };
  }

  #refuse(id: string, { error, close: [code, reason] }: HandshakeRefusal): void {
    this.#parts.figures.handshakesRefused++;
    this.#send(formatRefusal(id, error));
    this.close(code, reason);
  }

  #serve(text: string, caller: Caller): void {
    const frame = parseFrame(text);
    if (frame.kind === 'noise') return;
    if (frame.kind === 'malformed') {
      this.#send(formatRefusal(frame.id, { code: 'INVALID_REQUEST', message: frame.message }));
      return;
    }
    const { id, method, params } = frame;
    if (this.#pending >= MOST_PENDING_REQUESTS) {
      this.#send(formatRefusal(id, TOO_MANY));
      return;
    }
    this.#pending++;
    const request = {
      method,
      params,
      caller,
      address: this.peer.address,
      signal: this.#gone.signal,
      respondFirst: (payload: unknown) => this.#respond(id, method, payload),
    };
    this.#parts.dispatcher.call(request).then((outcome) => {
      this.#pending--;
      if (outcome.ok) this.#respond(id, method, outcome.payload);
      else this.#send(formatRefusal(id, outcome.error));
    });
  }

  #respond(id: string, method: string, payload: unknown): void {
    let text: string;
    try {
      text = formatResponse(id, payload);
    } catch (error) {
      this.#parts.log(`${method} has a result that is no JSON: ${(error as Error).message}`);
      text = formatRefusal(id, { code: 'UNAVAILABLE', message: 'internal error' });
    }
    this.#send(text);
  }

  #end(): void {
    if (this.#phase.at === 'challenged') this.#phase.cancelTimer();
    const wasOpen = this.#phase.at === 'open';
    this.#phase = { at: 'closed' };
    this.#isEnding = true;
    this.#incoming?.release();
    this.#gone.abort();
    this.#parts.onClosed(this, wasOpen);
  }
}

/** A reason has at most 123 bytes. */
function cutToBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  return new TextDecoder().decode(Buffer.from(text).subarray(0, most), { stream: true });
}
