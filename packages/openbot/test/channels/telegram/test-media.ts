import { OpenBotError } from '@openbot/sessions';
import type { ChannelMedia } from '../../../src/channels/contract.ts';
import type { IncomingFile, KeptMedia, OutgoingMedia } from '../../../src/media/contract.ts';

/** Files in memory, with the promises of the media room. */
export class TestMedia implements ChannelMedia {
  maxBytes = 1_000_000;
  readonly kept: {
    readonly name: string | undefined;
    readonly type: string | undefined;
    readonly bytes: Buffer;
  }[] = [];
  /** How often a file to send was asked for. */
  reads = 0;
  /** By address. */
  readonly outgoing = new Map<string, OutgoingMedia | Error>();

  async keep({ bytes, name, declaredType }: IncomingFile): Promise<KeptMedia> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of bytes) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > this.maxBytes) throw new OpenBotError('MEDIA_TOO_LARGE', 'larger than the limit');
    }
    this.kept.push({ name, type: declaredType, bytes: Buffer.concat(chunks) });
    return {
      path: `/media/${name}`,
      type: declaredType ?? 'application/octet-stream',
      size,
      name: name ?? 'file',
    };
  }

  async read(url: string): Promise<OutgoingMedia> {
    this.reads++;
    const found = this.outgoing.get(url);
    if (found === undefined) throw new OpenBotError('MEDIA_REFUSED', 'There is no such file');
    if (found instanceof Error) throw found;
    return found;
  }

  /** A file to send. */
  offer(url: string, type: string, bytes: string | Buffer = 'bytes'): void {
    const [kind] = type.split('/');
    this.outgoing.set(url, {
      bytes: Buffer.from(bytes),
      type,
      kind: kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document',
      name: url.split('/').at(-1)!,
    });
  }
}
