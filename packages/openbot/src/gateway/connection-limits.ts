/** How many connections the process can hold, and how long one may take to say what it wants. */
import type { Server } from 'node:http';
import type { Clock } from '../clock.ts';
import { MOST_CONNECTIONS } from '../gateway-protocol/limits.ts';

/** HTTP and WebSocket connections together. */
const MOST_SOCKETS = 2 * MOST_CONNECTIONS;
const HEADERS_MS = 15_000;
const REQUEST_MS = 60_000;
/** How often Node looks for requests that take too long. */
const CHECKS_PER_LIMIT = 15;

/** For a server of Node, which ends a request up to one interval after its limit: here no later than promised. */
export function makeHttpLimits(headersMs = HEADERS_MS) {
  const connectionsCheckingInterval = headersMs / CHECKS_PER_LIMIT;
  return {
    headersTimeout: headersMs - connectionsCheckingInterval,
    requestTimeout: REQUEST_MS - connectionsCheckingInterval,
    connectionsCheckingInterval,
    keepAliveTimeout: 5_000,
    maxHeaderSize: 32_768,
  };
}

/** Half of the descriptors stay for files, databases and child processes. */
export function limitConnections(descriptors = readDescriptorLimit()): {
  readonly sockets: number;
  readonly webSockets: number;
} {
  const sockets = Math.min(MOST_SOCKETS, Math.floor(descriptors / 2));
  return { sockets, webSockets: Math.min(MOST_CONNECTIONS, Math.floor(sockets / 2)) };
}

/** Of this process. Node has raised it to the hard limit. */
export function readDescriptorLimit(): number {
  const report = process.report as typeof process.report & { excludeNetwork?: boolean };
  const before = report.excludeNetwork;
  // It would ask DNS for names.
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: number | string } };
  };
  report.excludeNetwork = before;
  const limit = Number(userLimits?.open_files?.soft);
  // `unlimited`, or a system without such limits.
  return Number.isFinite(limit) ? limit : Number.POSITIVE_INFINITY;
}

/** A client sends its request when it is connected. One that sends nothing only takes a place. */
const SILENT_MS = 5_000;

/** Closes connections that have sent nothing at all. */
export function closeSilent(server: Server, clock: Clock): void {
  server.on('connection', (socket) => {
    const cancel = clock.after(SILENT_MS, () => {
      if (socket.bytesRead === 0) socket.destroy();
    });
    socket.once('close', cancel);
  });
}
