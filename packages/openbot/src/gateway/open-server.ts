/** The port of the gateway: WebSockets and HTTP, for whatever methods it is given. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { OpenBotError } from '@openbot/sessions';
import { backgroundClock, type Clock } from '../clock.ts';
import { openDeviceBook } from '../gateway-devices/device-book.ts';
import type { EventHub } from '../gateway-protocol/gateway-event.ts';
import { LARGEST_FRAME_BEFORE_HELLO } from '../gateway-protocol/limits.ts';
import type { GatewayMethod } from '../gateway-protocol/method.ts';
import { type Admission, admit, type Challenge } from './admission/admit.ts';
import { FailureLimits } from './admission/failure-limits.ts';
import { STARTING } from './admission/handshake-refusals.ts';
import { isOwnHost, type Peer, peerOf } from './admission/peer.ts';
import { openAuditLog } from './audit-log.ts';
import { closeSilent, limitConnections, makeHttpLimits } from './connection-limits.ts';
import { makeDispatcher } from './dispatch.ts';
import { Figures } from './figures.ts';
import type { HttpContext } from './http/context.ts';
import { answerHttp } from './http/router.ts';
import type { GatewaySettings } from './settings.ts';
import { INCOMING_BYTES, OPEN_PAGES, OPEN_REQUESTS, OPEN_WEBHOOKS, Shares } from './shares.ts';
import { Connection } from './sockets/connection.ts';
import { Connections } from './sockets/connections.ts';
import { keepHealth } from './sockets/health-events.ts';
import { type HelloParts, makeHello } from './sockets/hello.ts';
import { ownPresence } from './sockets/presence.ts';
import { makeSocketServer } from './sockets/web-socket.ts';
import { type WatchedRights, watchRights } from './watch-rights.ts';

export interface ServerOptions<Services> {
  readonly stateDir: string;
  /** 0 for any that is free. */
  readonly port: number;
  readonly host: string;
  readonly version: string;
  readonly methods: readonly GatewayMethod<Services>[];
  settings(): GatewaySettings;
  /** What hello-ok and the page are told beside what the server knows. */
  readonly describe?: HelloParts['describe'];
  /** Bytes. */
  readonly largestFile?: HelloParts['largestFile'];
  /** More lines for `/metrics`, each `name value`. */
  readonly measure?: () => readonly string[];
  /** What keeps the gateway from being ready, for `/readyz`. */
  readonly failing?: () => readonly string[];
  /** Passes the request of a network on to its channel. Never rejects. */
  readonly receiveWebhook?: HttpContext['receiveWebhook'];
  readonly clock?: Clock;
  /** How many files and sockets the process may have open. Default: what the system says. */
  readonly descriptors?: number;
  /** How long the headers of a request may take. ms */
  readonly headersMs?: number;
  log(line: string): void;
}

export interface GatewayServer<Services> {
  readonly port: number;
  readonly hub: EventHub;
  /** Until then clients are told to come again. */
  serve(services: Services): void;
  presence(): readonly unknown[];
  /** Requests that were answered, and what else shows that it is used. */
  countUse(): number;
  /**
   * Tells clients and closes all connections. Nothing listens afterwards. Before that, it takes no more connections and
   * waits for `settle`, of which clients still hear.
   */
  close(options?: { readonly reason?: string; settle?(): Promise<void> }): Promise<void>;
}

/** Time that a client has to read the event and to close, before it is cut off. */
const CLOSE_MS = 1_000;

/** Resolves when it listens. Throws GATEWAY_CANNOT_LISTEN. */
export async function openServer<Services>(
  options: ServerOptions<Services>,
): Promise<GatewayServer<Services>> {
  const { stateDir, version, settings, log, clock = backgroundClock, describe = () => ({}) } = options;
  const now = () => clock.now();
  const startedAt = now();
  const bootId = randomUUID();
  const figures = new Figures();
  const incoming = new Shares(INCOMING_BYTES);
  const requests = new Shares(OPEN_REQUESTS);
  const webhooks = new Shares(OPEN_WEBHOOKS);
  const pages = new Shares(OPEN_PAGES);
  const audit = openAuditLog(stateDir, { now, log });
  const devices = openDeviceBook(stateDir, now);
  const failures = new FailureLimits(now);
  const webhookFailures = new FailureLimits(now);
  const connections = new Connections(clock, ownPresence(version, startedAt));
  let services: Services | undefined;
  let isClosing = false;
  let rights: WatchedRights;
  const dispatcher = makeDispatcher({
    methods: options.methods,
    services: () => services,
    audit,
    figures,
    log,
  });
  const keeper = { settings, devices, failures, now, log };
  const health = keepHealth({ connections, dispatcher, clock });

  const parts = {
    clock,
    dispatcher,
    figures,
    incoming,
    log,
    admit: async (peer: Peer, challenge: Challenge, params: unknown) =>
      services === undefined ? STARTING : admit(keeper, peer, challenge, params),
    hello: (connection: Connection, admission: Admission) =>
      makeHello(
        {
          connections,
          methods: dispatcher.listed,
          version,
          bootId,
          uptimeMs: now() - startedAt,
          describe,
          largestFile: options.largestFile ?? (() => Number.POSITIVE_INFINITY),
          now,
        },
        connection,
        admission,
      ),
    onOpen: (connection: Connection) => {
      rights.look(connection);
      connections.presenceChanged();
      health.tell(connection);
    },
    onClosed: (connection: Connection, wasOpen: boolean) => connections.remove(connection, wasOpen),
  };

  const loggedFaults = new Set<string>();
  const readPeer = (request: IncomingMessage): Peer => {
    const peer = peerOf(request, settings().trustedProxies);
    const { address, proxyFault } = peer;
    if (proxyFault !== undefined && !loggedFaults.has(proxyFault)) {
      loggedFaults.add(proxyFault);
      log(`${address} passes on requests, and ${proxyFault}: all of its clients count as one`);
    }
    return peer;
  };

  const sockets = makeSocketServer(LARGEST_FRAME_BEFORE_HELLO);
  const server = createServer(makeHttpLimits(options.headersMs));
  const most = limitConnections(options.descriptors);
  server.maxConnections = most.sockets;
  closeSilent(server, clock);
  server.on('request', (request, response) => {
    const context = {
      peer: readPeer(request),
      settings: settings(),
      devices,
      failures,
      webhookFailures,
      dispatcher,
      connections,
      figures,
      incoming,
      requests,
      webhooks,
      pages,
      clock,
      version,
      uptimeMs: now() - startedAt,
      failing: () =>
        services === undefined ? ['startup'] : isClosing ? ['shutdown'] : (options.failing?.() ?? []),
      measure: options.measure ?? (() => []),
      receiveWebhook: options.receiveWebhook,
      describe,
      log,
    };
    answerHttp(context, request, response);
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const peer = readPeer(request);
    if (!isOwnHost(peer.host, settings().allowedHosts)) refuseUpgrade(socket, '403 Forbidden');
    else if (isClosing || connections.size >= most.webSockets || connections.isCrowded(peer))
      refuseUpgrade(socket, '503 Service Unavailable');
    else {
      sockets.handleUpgrade(request, socket, head, (opened) => {
        figures.connectionsOpened++;
        const connection = new Connection(opened, peer, parts);
        connections.add(connection);
        socket.on('data', () => connection.countIncoming());
      });
    }
  });

  await listen(server, options);
  server.on('error', (error) => log(`The port of the gateway: ${error.message}`));
  rights = watchRights({ settings, devices, connections, audit, clock, log });

  return {
    port: (server.address() as AddressInfo).port,
    hub: connections,
    serve(given) {
      services = given;
    },
    presence: () => connections.presence(),
    countUse: () => figures.requestCount + figures.connectionsOpened,
    async close({ reason = 'gateway stopping', settle } = {}) {
      isClosing = true;
      await settle?.();
      rights.close();
      health.close();
      connections.tellAll({ event: 'shutdown', payload: { reason } });
      connections.closeAll(1012, 'service restart');
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const cancel = clock.after(CLOSE_MS, () => server.closeAllConnections());
      await closed;
      cancel();
      connections.close();
      await audit.close();
    },
  };
}

function refuseUpgrade(socket: Duplex, status: string): void {
  // A client that keeps its own side open would else keep the socket, and the gateway from closing.
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) =>
      reject(
        new OpenBotError(
          'GATEWAY_CANNOT_LISTEN',
          `Cannot listen on ${host}, port ${port}: ${error.message}`,
          {
            hint: 'Another port: --port <n>, or gateway.port in the configuration',
            cause: error,
          },
        ),
      );
    server.once('error', fail);
    server.listen(port, host, () => {
      server.off('error', fail);
      resolve();
    });
  });
}
