import {
  checkParams,
  filledText,
  integer,
  listOf,
  maybe,
  oneOf,
  type ParamsOf,
  record,
  shortText,
  text,
} from './param-shapes.ts';

/** Closed lists of OpenClaw's protocol. Clients of other products call themselves `cli` or `gateway-client`. */
const CLIENT_IDS = [
  'webchat-ui',
  'openclaw-control-ui',
  'openclaw-browser-copilot',
  'openclaw-tui',
  'webchat',
  'cli',
  'gateway-client',
  'openclaw-macos',
  'openclaw-linux',
  'openclaw-ios',
  'openclaw-watchos',
  'openclaw-android',
  'node-host',
  'openclaw-worker',
  'test',
  'fingerprint',
  'openclaw-probe',
] as const;
const CLIENT_MODES = ['webchat', 'cli', 'ui', 'backend', 'node', 'worker', 'probe', 'test'] as const;

/** Presence tells them to every client: 1,000 connections with the longest ones must fit into a frame. */
const name = shortText(200);
const scope = shortText(64);
const MOST_SCOPES = 32;

const CONNECT = {
  minProtocol: integer({ least: 1 }),
  maxProtocol: integer({ least: 1 }),
  client: record({
    id: oneOf(...CLIENT_IDS),
    displayName: maybe(name),
    version: name,
    platform: name,
    deviceFamily: maybe(name),
    mode: oneOf(...CLIENT_MODES),
    instanceId: maybe(name),
  }),
  role: maybe(text),
  scopes: maybe(listOf(scope, { most: MOST_SCOPES })),
  caps: maybe(listOf(filledText)),
  device: maybe(
    record({
      id: filledText,
      publicKey: filledText,
      signature: filledText,
      signedAt: integer({ least: 0 }),
      nonce: maybe(text),
    }),
  ),
  auth: maybe(record({ token: maybe(text), deviceToken: maybe(text), password: maybe(text) })),
};

export type ConnectParams = ParamsOf<typeof CONNECT>;

/** Throws INVALID_REQUEST. */
export function checkConnectParams(params: unknown): ConnectParams {
  return checkParams('connect', CONNECT, params);
}

/** Whether a browser shows it: such a client must name the page that it is in. */
export function isPage({ id, mode }: ConnectParams['client']): boolean {
  return id === 'openclaw-control-ui' || id === 'webchat-ui' || mode === 'webchat';
}

/** Probes and tests without a device get no scopes, whatever they ask for. */
export function isProbe({ mode }: ConnectParams['client']): boolean {
  return mode === 'probe' || mode === 'test';
}
