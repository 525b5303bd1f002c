import { lookup } from 'node:dns';
import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { OpenBotError } from '@openbot/sessions';
import type { MediaSettings } from '../contract.ts';
import type { RawMedia } from '../data-url.ts';
import { tooLarge } from '../limits.ts';
import { isPublicAddress } from './public-address.ts';

const MAX_REDIRECTS = 3;
/** For all of it. ms */
const TIME_LIMIT = 60_000;

type Limits = Pick<MediaSettings, 'maxBytes' | 'allowPrivateNetwork'>;

/**
 * A file of the web. The address that a name leads to is checked when the connection is made, so that no name can lead
 * elsewhere after the check. Proxies of the environment are not used.
 */
export async function download(limits: Limits, url: string, signal?: AbortSignal): Promise<RawMedia> {
  const ended = AbortSignal.any([AbortSignal.timeout(TIME_LIMIT), ...(signal ? [signal] : [])]);
  try {
    return await follow(limits, url, ended);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof OpenBotError) throw error;
    const why = ended.aborted ? 'it took too long' : (error as Error).message;
    throw new OpenBotError('MEDIA_UNREACHABLE', `${nameOf(url)} could not be read: ${why}`, { cause: error });
  }
}

async function follow(limits: Limits, first: string, signal: AbortSignal): Promise<RawMedia> {
  let url = parse(first);
  for (let redirects = 0; ; redirects++) {
    const response = await get(limits, url, signal);
    const { statusCode = 0, headers } = response;
    const isRedirect = [301, 302, 303, 307, 308].includes(statusCode) && headers.location !== undefined;
    if (!isRedirect) return await read(limits, url, response);
    response.destroy();
    if (redirects >= MAX_REDIRECTS)
      throw new OpenBotError('MEDIA_REFUSED', `${nameOf(first)} leads on and on`);
    url = parse(new URL(headers.location!, url).href);
  }
}

async function read({ maxBytes }: Limits, url: URL, response: IncomingMessage): Promise<RawMedia> {
  const { statusCode = 0, headers } = response;
  try {
    if (statusCode !== 200) throw describeStatus(url, statusCode);
    if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
    const parts: Buffer[] = [];
    let size = 0;
    for await (const part of response) {
      size += part.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      parts.push(part);
    }
    if (!response.complete) throw new Error('the connection broke off');
    const name = decode(url.pathname.split('/').at(-1) ?? '');
    return { bytes: Buffer.concat(parts), declaredType: headers['content-type'], name };
  } finally {
    response.destroy();
  }
}

function describeStatus(url: URL, status: number): OpenBotError {
  const mayChange = status >= 500 || status === 408 || status === 429;
  const code = mayChange ? 'MEDIA_UNREACHABLE' : 'MEDIA_REFUSED';
  return new OpenBotError(code, `${nameOf(url.href)} answered with ${status}`);
}

function get({ allowPrivateNetwork }: Limits, url: URL, signal: AbortSignal): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!allowPrivateNetwork && isIP(host) !== 0 && !isPublicAddress(host)) throw privateAddress(url);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = (url.protocol === 'https:' ? requestSecure : requestPlain)(url, {
    agent: false,
    signal,
    // Nothing is decompressed: a small body stays one.
    headers: { 'accept-encoding': 'identity', 'user-agent': 'openbot' },
    ...(!allowPrivateNetwork && { lookup: publicLookup(url) }),
  });
  request.on('response', resolve);
  request.on('error', reject);
  request.end();
  return promise;
}

/** Resolves a name as the system does, and refuses one that leads to a private address, whatever others it has. */
function publicLookup(url: URL): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      if (!addresses.every(({ address }) => isPublicAddress(address)))
        return callback(privateAddress(url) as NodeJS.ErrnoException, []);
      if (options.all) return callback(null, addresses);
      callback(null, addresses[0]!.address, addresses[0]!.family);
    });
}

function privateAddress(url: URL): OpenBotError {
  return new OpenBotError('MEDIA_REFUSED', `${nameOf(url.href)} is in a private network`, {
    hint: 'attachments.allowPrivateNetwork permits it.',
  });
}

function parse(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new OpenBotError(
      'MEDIA_REFUSED',
      'A file can be fetched by http(s) only, without a password in the address',
    );
  return url;
}

/** Without what follows the path: it may be a secret. */
function nameOf(text: string): string {
  const url = URL.parse(text);
  return url === null ? 'The address' : `${url.origin}${url.pathname}`;
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
