import type { KeptMedia, MissingMedia } from '../../media/contract.ts';
import type { ChannelMedia } from '../contract.ts';
import { type FileTries, tryFile } from '../http/try-file.ts';
import type { GraphClient } from './graph-client.ts';
import type { RemoteFile } from './message-content.ts';

export interface TakeFileOptions extends FileTries {
  readonly client: GraphClient;
  readonly media: ChannelMedia;
  /** WhatsApp waits for its answer: what is not there by then is missing. */
  readonly inTime: AbortSignal;
}

const LATE = 'WhatsApp did not give it in time';

/** Downloads a file of a message. */
export async function takeFile(
  file: RemoteFile,
  options: TakeFileOptions,
): Promise<KeptMedia | MissingMedia> {
  const { client, media, inTime } = options;
  const taken = await tryFile(async () => {
    if (inTime.aborted) return { reason: LATE };
    const signal = AbortSignal.any([options.signal, inTime]);
    const info = await client.findMedia(file.id, signal);
    if (info.size !== undefined && info.size > media.maxBytes) {
      return { reason: `larger than ${Math.floor(media.maxBytes / 1_000_000)} MB` };
    }
    const declaredType = info.type ?? file.type;
    return media.keep({ bytes: client.download(info, signal), declaredType, name: file.name });
  }, options);
  return 'path' in taken ? taken : { name: file.name, type: file.type, ...taken };
}
