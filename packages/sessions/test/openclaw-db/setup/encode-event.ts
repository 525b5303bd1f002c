import { constants, zstdCompressSync } from 'node:zlib';
import { composeNavigation } from './compose-navigation.ts';
import { isObject } from './reference-tree.ts';

/** The columns of one event. */
export interface EncodedEvent {
  readonly json: string | null;
  readonly zstd: Uint8Array | null;
  readonly bytes: number;
  readonly navigation: string | null;
}

const PARAMETERS = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 };
const MOST_BYTES = 4_194_304;

/** `where-it-pays` is OpenClaw's own choice; `always` compresses whatever the schema lets be compressed. */
export type Compression = 'never' | 'where-it-pays' | 'always';

export function encodeEvent(json: string, event: unknown, compression: Compression): EncodedEvent {
  const bytes = Buffer.byteLength(json, 'utf8');
  const plain = { json, zstd: null, bytes, navigation: null };
  const isHeader = isObject(event) && event.type === 'session' && typeof event.id === 'string';
  if (compression === 'never' || bytes > MOST_BYTES || isHeader) return plain;
  const mustPay = compression === 'where-it-pays';
  if (mustPay && (bytes < 1024 || json.includes('\\u') || json.includes('\0'))) return plain;
  const zstd = zstdCompressSync(json, { params: PARAMETERS });
  const navigation = composeNavigation(event);
  if (navigation === undefined) return plain;
  const stored = zstd.byteLength + Buffer.byteLength(navigation, 'utf8');
  if (mustPay && stored > bytes - Math.max(64, Math.ceil(bytes / 10))) return plain;
  return { json: null, zstd, bytes, navigation };
}
