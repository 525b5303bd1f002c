import { LARGEST_BUFFER, LARGEST_FRAME, PROTOCOL, TICK_MS } from '../../gateway-protocol/limits.ts';
import { hasScope } from '../../gateway-protocol/scopes.ts';
import type { Admission } from '../admission/admit.ts';
import type { Connection } from './connection.ts';
import type { Connections } from './connections.ts';

/** The events that a connection may get. */
const EVENTS = [
  'connect.challenge',
  'agent',
  'chat',
  'session.message',
  'sessions.changed',
  'presence',
  'tick',
  'shutdown',
  'health',
];
/** Without it `openclaw models list` does not ask for the models. */
const CAPABILITIES = ['published-model-catalog'];

export interface HelloParts {
  readonly connections: Connections;
  readonly methods: readonly string[];
  readonly version: string;
  readonly bootId: string;
  readonly uptimeMs: number;
  /** Of `snapshot`: `sessionDefaults`, and for the owner `configPath` and `stateDir`. */
  describe(access: { readonly isOwner: boolean; readonly agentIds?: ReadonlySet<string> }): object;
  /** The largest file that the configuration lets a message have, in bytes. */
  largestFile(): number;
  now(): number;
}

/** Of a frame, for what is beside a file. */
const BESIDE_FILE = 256 * 1024;
/** As OpenClaw's: a page makes larger pictures smaller before it sends them. */
const LARGEST_IMAGE = 6 * 1024 * 1024;

export function makeHello(parts: HelloParts, { connId, caller }: Connection, admission: Admission): unknown {
  const { connections, version, bootId } = parts;
  const { via, scopes, agentIds, deviceToken } = admission;
  const isOwner = agentIds === undefined && hasScope(new Set(scopes), 'operator.admin');
  const mayRead = caller !== undefined && hasScope(caller.scopes, 'operator.read');
  // Files come as base64.
  const maxBytes = Math.min(parts.largestFile(), ((LARGEST_FRAME - BESIDE_FILE) / 4) * 3);
  return {
    type: 'hello-ok',
    protocol: PROTOCOL,
    server: { version, bootId, connId },
    features: { methods: parts.methods, events: EVENTS, capabilities: CAPABILITIES },
    snapshot: {
      presence: mayRead && agentIds === undefined ? connections.presence() : [],
      health: {},
      stateVersion: connections.stateVersion,
      uptimeMs: parts.uptimeMs,
      authMode: 'token',
      ...parts.describe({ isOwner, agentIds }),
    },
    auth: {
      method: via === 'device-token' ? 'device-token' : 'token',
      role: 'operator',
      scopes,
      ...(deviceToken !== undefined && { deviceToken, issuedAtMs: parts.now() }),
    },
    policy: {
      maxPayload: LARGEST_FRAME,
      maxBufferedBytes: LARGEST_BUFFER,
      tickIntervalMs: TICK_MS,
      attachments: { maxBytes, maxImageBytes: Math.min(maxBytes, LARGEST_IMAGE) },
    },
  };
}
