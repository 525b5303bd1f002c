import type { KeptMedia, MissingMedia } from '../../media/contract.ts';
import type { ChannelMedia } from '../contract.ts';
import { type FileTries, tryFile } from '../http/try-file.ts';
import type { PostedFile } from './read-message.ts';

/** Keeps the files of a message. Addresses are read as those that the agent sends: none of a private network. */
export async function takeFiles(
  files: readonly PostedFile[],
  media: ChannelMedia,
  tries: FileTries,
): Promise<{ readonly kept: readonly KeptMedia[]; readonly missing: readonly MissingMedia[] }> {
  const kept: KeptMedia[] = [];
  const missing: MissingMedia[] = [];
  for (const file of files) {
    const { name, type } = file;
    const taken = await tryFile(() => takeFile(file, media, tries.signal), tries);
    if ('path' in taken) kept.push(taken);
    else missing.push({ name, type, ...taken });
  }
  return { kept, missing };
}

async function takeFile(file: PostedFile, media: ChannelMedia, signal: AbortSignal): Promise<KeptMedia> {
  if ('bytes' in file) return media.keep({ bytes: [file.bytes], declaredType: file.type, name: file.name });
  const { bytes, type, name } = await media.read(file.url, signal);
  return media.keep({ bytes: [bytes], declaredType: file.type ?? type, name: file.name ?? name });
}
