/** OpenClaw's built page from a folder that the owner names. OpenBot ships none. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Exchange, type HttpContext, sendJson } from './context.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.ico': 'image/x-icon',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.mp3': 'audio/mpeg',
};

const CONFIG_PATHS = new Set([
  '/control-ui-config.json',
  '/__openclaw/control-ui-config.json',
  '/__openclaw__/control-ui-config.json',
]);

export async function answerControlUi(
  { version }: HttpContext,
  { request, response, path }: Exchange,
  root: string,
): Promise<void> {
  if (CONFIG_PATHS.has(path)) {
    // Nothing of it is secret: a page asks for it before it has a token.
    sendJson(response, 200, {
      basePath: '',
      assistantName: 'OpenBot',
      serverVersion: version,
      terminalEnabled: false,
    });
    return;
  }
  const found = (await findFile(root, path)) ?? (await findPage(root, path));
  if (found === undefined) {
    sendJson(response, 404, { ok: false, error: { message: 'not found' } });
    return;
  }
  const type = TYPES[extname(found.path).toLowerCase()] ?? 'application/octet-stream';
  const isPage = type.startsWith('text/html');
  const text = isPage ? anchor(await readFile(found.path, 'utf8')) : undefined;
  response.writeHead(200, {
    'content-type': type,
    'content-length': text === undefined ? found.size : Buffer.byteLength(text),
    'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    'x-frame-options': 'DENY',
    ...(text !== undefined && { 'content-security-policy': policyFor(text) }),
  });
  if (request.method === 'HEAD') response.end();
  else if (text !== undefined) response.end(text);
  else await pipeline(createReadStream(found.path), response).catch(() => response.destroy());
}

interface FoundFile {
  readonly path: string;
  readonly size: number;
}

/** The file of a path within the root; links may not lead out of it. */
async function findFile(root: string, path: string): Promise<FoundFile | undefined> {
  let name: string;
  try {
    name = decodeURIComponent(path);
  } catch {
    return undefined;
  }
  if (/[\0\\]/.test(name) || name.split('/').some((part) => part.startsWith('.'))) return undefined;
  try {
    const top = await realpath(root);
    const real = await realpath(join(top, name));
    const stats = await stat(real);
    return real.startsWith(top + sep) && stats.isFile() ? { path: real, size: stats.size } : undefined;
  } catch {
    return undefined;
  }
}

/** Paths of the page itself, such as `/chat`, have no file. */
function findPage(root: string, path: string): Promise<FoundFile | undefined> {
  const isFile = extname(path) !== '' || path.includes('/.');
  return isFile ? Promise.resolve(undefined) : findFile(root, '/index.html');
}

/** A page that is opened at `/chat/main` must not look for its files below `/chat`. */
function anchor(html: string): string {
  return html
    .replaceAll(/\b(src|href)="\.\//g, '$1="/')
    .replace(/<html\b/i, '<html data-openclaw-control-ui-base-path=""');
}

/** The scripts inside the page run, and no others. */
function policyFor(html: string): string {
  const scripts = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/gi)];
  const hashes = scripts.map(
    ([, code = '']) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`,
  );
  return [
    "default-src 'self'",
    "base-uri 'none'",
    "object-src 'none'",
    "frame-ancestors 'none'",
    `script-src ${["'self'", ...hashes].join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob: https:",
    "media-src 'self' data: blob:",
    "font-src 'self' data:",
    "worker-src 'self'",
    "connect-src 'self' ws: wss: data:",
  ].join('; ');
}
