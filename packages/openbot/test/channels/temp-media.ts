import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import type { ChannelMedia } from '../../src/channels/contract.ts';
import type { OutgoingMedia } from '../../src/media/contract.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

const TYPES: Readonly<Record<string, readonly [string, OutgoingMedia['kind']]>> = {
  png: ['image/png', 'image'],
  webp: ['image/webp', 'image'],
  ogg: ['audio/ogg', 'audio'],
  mp4: ['video/mp4', 'video'],
};

/** Files of messages in a temp folder, within a limit. */
export class TempMedia implements ChannelMedia {
  readonly maxBytes: number;
  readonly folder = makeTempFolder();
  /** By the end of a path, for those whose name does not say it. */
  readonly types = new Map<string, readonly [string, OutgoingMedia['kind']]>();
  /** How many of the next reads of an outgoing file fail. */
  unreachable = 0;

  constructor(maxBytes = 20_000_000) {
    this.maxBytes = maxBytes;
  }

  async keep({ bytes, declaredType, name = 'file' }: Parameters<ChannelMedia['keep']>[0]) {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of bytes) {
      size += chunk.byteLength;
      if (size > this.maxBytes) throw tooLarge(this.maxBytes);
      chunks.push(chunk);
    }
    mkdirSync(join(this.folder, 'in'), { recursive: true });
    const path = join(this.folder, 'in', basename(name));
    writeFileSync(path, Buffer.concat(chunks));
    return { path, type: declaredType ?? 'application/octet-stream', size, name: basename(name) };
  }

  async read(url: string) {
    if (this.unreachable-- > 0) throw new Error('The file cannot be reached.');
    if (url.startsWith('http://refused')) throw new OpenBotError('MEDIA_REFUSED', 'The address is private');
    if (url.startsWith('http')) return this.#download(url);
    const bytes = readFileSync(url);
    const own = [...this.types].find(([end]) => url.endsWith(end))?.[1];
    const [type, kind] = own ?? TYPES[url.split('.').at(-1)!] ?? ['application/pdf', 'document'];
    return { bytes, type, kind, name: basename(url) };
  }

  /** The path of a file to send. */
  write(name: string, bytes: string | Uint8Array): string {
    const path = join(this.folder, name);
    writeFileSync(path, bytes);
    return path;
  }

  async #download(url: string): Promise<OutgoingMedia> {
    const response = await fetch(url);
    const bytes = Buffer.from(await response.arrayBuffer());
    const type = response.headers.get('content-type') ?? 'application/octet-stream';
    return { bytes, type, kind: 'document', name: basename(new URL(url).pathname) };
  }
}

function tooLarge(maxBytes: number) {
  return new OpenBotError('MEDIA_TOO_LARGE', `larger than ${maxBytes / 1_000_000} MB`);
}
