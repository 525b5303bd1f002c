import { EMPTY_DOCUMENT, parseDocument, type StoreDocument } from './document.ts';
import {
  compareStoreFile,
  type FileSignature,
  isSameVersion,
  readStoreFile,
  statStoreFile,
} from './read-store-file.ts';
import { reparseDocument } from './reparse-document.ts';

interface Cached {
  document: StoreDocument;
  signature: FileSignature;
  /** Every later change shows in the signature. */
  isSettled: boolean;
  /** When the content was read, by the steady clock. */
  steadyAt: number;
}

export interface Loaded {
  document: StoreDocument;
  signature: FileSignature | undefined;
}

const DEFAULT_TTL_MS = 45_000;
const MOST_STORES = 64;

const cache = new Map<string, Cached>();

/** How long a store may be answered from memory: OPENCLAW_SESSION_CACHE_TTL_MS, 0 for never. 45 s. */
export function readCacheTtlMs(env: NodeJS.ProcessEnv = process.env): number {
  const text = env.OPENCLAW_SESSION_CACHE_TTL_MS?.trim();
  const value = text ? Number(text) : DEFAULT_TTL_MS;
  return value >= 0 ? value : DEFAULT_TTL_MS;
}

/** The store at an absolute path, from memory if the file is certainly still the one that was read. */
export function loadDocument(path: string, ttlMs = readCacheTtlMs()): Loaded {
  const cached = ttlMs > 0 ? cache.get(path) : undefined;
  if (cached !== undefined && performance.now() - cached.steadyAt < ttlMs) {
    const now = statStoreFile(path);
    if (now !== undefined && isSameVersion(now, cached.signature)) {
      if (cached.isSettled) return cached;
      const signature = compareStoreFile(path, cached.document.pieces);
      if (signature !== undefined) {
        rememberDocument(path, cached.document, signature);
        return { document: cached.document, signature };
      }
    }
  }
  const read = readStoreFile(path);
  if (read === undefined) {
    cache.delete(path);
    return { document: EMPTY_DOCUMENT, signature: undefined };
  }
  const { content, signature } = read;
  const document = cached ? reparseDocument(cached.document, content, path) : parseDocument(content, path);
  if (ttlMs > 0) rememberDocument(path, document, signature);
  return { document, signature };
}

/** @param isOwn this process wrote the file and gave it its name */
export function rememberDocument(
  path: string,
  document: StoreDocument,
  signature: FileSignature,
  isOwn = false,
): void {
  cache.delete(path);
  const isSettled = isOwn ? hasTwoTimes(signature) : wasWrittenBefore(signature, Date.now());
  cache.set(path, { document, signature, isSettled, steadyAt: performance.now() });
  const [oldest] = cache.keys();
  if (cache.size > MOST_STORES && oldest !== undefined) cache.delete(oldest);
}

export function forgetDocument(path: string): void {
  cache.delete(path);
}

/** Gives back the memory that stores take in this process. Each is read again when it is used. */
export function forgetSessionStores(): void {
  cache.clear();
}

/** The same, under OpenClaw's name. */
export const clearSessionStoreCacheForTest = forgetSessionStores;

// File times move in steps. A write within the same step as our reading would leave no trace in them.
const STEP_MS = 20;
const COARSE_STEP_MS = 2_100;

function wasWrittenBefore({ mtimeNs }: FileSignature, readAt: number): boolean {
  const coarse = mtimeNs % 1_000_000_000n === 0n;
  const sinceWritten = Math.abs(readAt - Number(mtimeNs / 1_000_000n));
  return sinceWritten > (coarse ? COARSE_STEP_MS : STEP_MS);
}

/**
 * A write gives a file one time for both. Where that of its state is later, because it got its name in a later step, a
 * write shows. A file system that has no such time has an earlier one: that of the file's creation, or none.
 */
function hasTwoTimes({ mtimeNs, ctimeNs }: FileSignature): boolean {
  return ctimeNs > mtimeNs;
}
