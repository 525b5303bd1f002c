/** Where a connection comes from, and whether a page of another place asked for it. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';

export interface Peer {
  /** Of the client, as far as it is known: what limits are counted for, and what is logged. */
  readonly address: string;
  /** From this machine, and not by a proxy on it. */
  readonly isLocal: boolean;
  /** The address is a proxy's: it may be anyone who comes through it. */
  readonly isProxy: boolean;
  /** Why the address of the client is not known, where the configuration or the proxy can be corrected. */
  readonly proxyFault?: string;
  readonly host?: string;
  readonly origin?: string;
}

export const isLoopback = listAddresses(['127.0.0.0/8', '::1']);

/** A proxy writes one of these: then the address is the proxy's, and says nothing of the client. */
const FORWARDING = ['forwarded', 'x-forwarded-for', 'x-real-ip'] as const;

/** @param trustedProxies addresses and networks of proxies: what they say of their clients is believed, and nobody else */
export function peerOf(
  { socket, headers }: { readonly socket: Pick<Socket, 'remoteAddress'> } & Pick<IncomingMessage, 'headers'>,
  trustedProxies: readonly string[],
): Peer {
  const remote = readAddress(socket.remoteAddress ?? '') ?? '';
  const isForwarded = FORWARDING.some((name) => headers[name] !== undefined);
  const isTrusted = trustedProxies.length === 0 ? () => false : listAddresses(trustedProxies);
  const isUnnamed = isForwarded && !isTrusted(remote);
  const isSilent = isForwarded && headers['x-forwarded-for'] === undefined;
  const address = isForwarded
    ? findClient(remote, String(headers['x-forwarded-for'] ?? ''), isTrusted)
    : remote;
  return {
    address,
    isLocal: isLoopback(remote) && !isForwarded,
    isProxy: isUnnamed || isTrusted(address),
    ...(isSilent && { proxyFault: 'it writes no x-forwarded-for, the only header that is read' }),
    ...(isUnnamed && { proxyFault: 'gateway.trustedProxies does not name it' }),
    host: headers.host,
    origin: headers.origin,
  };
}

/**
 * Each proxy appends its client's address. The rightmost address that is no trusted proxy is the client's; the client can
 * forge those left of it.
 */
function findClient(remote: string, forwarded: string, isTrusted: (address: string) => boolean): string {
  const hops = forwarded.split(',');
  let client = remote;
  while (isTrusted(client)) {
    const before = readAddress(hops.pop() ?? '');
    if (before === undefined) break;
    client = before;
  }
  return client;
}

/** The addresses that are in one of the ranges, each an address or a network such as `10.0.0.0/8`. */
function listAddresses(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/');
    const family = familyOf(address);
    list.addSubnet(address, Number(prefix ?? (family === 'ipv4' ? 32 : 128)), family);
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** Without the port that some proxies write, brackets and the zone of IPv6; of IPv4 in IPv6, that of IPv4. */
function readAddress(text: string): string | undefined {
  const address = text
    .trim()
    .replace(/^\[([^\]]*)\](?::\d+)?$/, '$1')
    .replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1')
    .replace(/%.*$/, '')
    .replace(/^::ffff:(?=\d+\.)/i, '');
  return isIP(address) === 0 ? undefined : address;
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
