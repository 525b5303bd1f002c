/** Where a connection comes from, and whether a page of another place asked for it. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

export interface Peer {
  readonly address: string;
  /** From this machine, and not by a proxy on it. */
  readonly isLocal: boolean;
  readonly host?: string;
  readonly origin?: string;
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** A proxy writes one of these: then the address is the proxy's, and says nothing of the client. */
const FORWARDING = ['forwarded', 'x-forwarded-for', 'x-real-ip'] as const;

export function peerOf({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): Peer {
  const address = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
  return {
    address,
    isLocal: isLoopback(address) && FORWARDING.every((name) => headers[name] === undefined),
    host: headers.host,
    origin: headers.origin,
  };
}

export function isLoopback(address: string): boolean {
  const version = isIP(address);
  return version !== 0 && LOOPBACK.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Whether the `Host` of a request is a name of this gateway. A page of an attacker whose name resolves to this machine (DNS
 * rebinding) sends its own name; an address was not resolved by anyone's DNS.
 */
export function isOwnHost(host: string | undefined, allowedHosts: readonly string[]): boolean {
  const name = parseHost(host)?.hostname.replace(/\.$/, '');
  if (name === undefined) return false;
  if (name === 'localhost' || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0) return true;
  return allowedHosts.some((allowed) => allowed.toLowerCase() === name);
}

/** Why a page may not connect; undefined when it may, or no page asks. */
export function findOriginFault(
  { origin, host }: Pick<Peer, 'origin' | 'host'>,
  { isPage, allowedOrigins }: { readonly isPage: boolean; readonly allowedOrigins: readonly string[] },
): string | undefined {
  if (origin === undefined) return isPage ? 'origin missing or invalid' : undefined;
  let from: URL;
  try {
    from = new URL(origin);
  } catch {
    return 'origin missing or invalid';
  }
  const own = parseHost(host)?.host;
  if (own !== undefined && from.host === own) return undefined;
  const isAllowed = allowedOrigins.some(
    (allowed) => allowed.toLowerCase().replace(/\/$/, '') === from.origin,
  );
  return isAllowed ? undefined : 'origin not allowed';
}

function parseHost(host: string | undefined): URL | undefined {
  if (host === undefined || !/^[\w.[\]:-]+$/.test(host)) return undefined;
  try {
    return new URL(`http://${host}`);
  } catch {
    return undefined;
  }
}
