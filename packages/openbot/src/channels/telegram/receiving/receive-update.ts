import type { MsgContext } from '@openbot/sessions';
import { mediaFields } from '../../../media/media-fields.ts';
import type { ChannelHost } from '../../contract.ts';
import { type Json, readObject } from '../../http/hostile-json.ts';
import { within } from '../pause.ts';
import { type AddressedAlbums, joinAlbum } from './album.ts';
import { type DownloadTools, downloadFile } from './download-file.ts';
import { findFile } from './message-files.ts';
import { albumOf, isChange, type ReadUpdateOptions, readUpdate, type SourcedMessage } from './read-update.ts';

export interface ReceiveTools extends DownloadTools, ReadUpdateOptions {
  readonly host: ChannelHost;
  readonly albums: AddressedAlbums;
}

/** Telegram takes no answer to a button that was pressed longer ago. */
const PRESS_MS = 15_000;

/**
 * Gives what an update brings to the host, or the updates of an album as one message. Rejects when it could not be kept, so
 * that it comes again; an update that cannot be read is reported and left, because it would be no better the next time.
 */
export async function receiveUpdate(updates: readonly Json[], tools: ReceiveTools): Promise<void> {
  const { host } = tools;
  const [first, ...others] = updates.flatMap((update) => tryToRead(update, tools) ?? []);
  if (first === undefined) return;
  const [update = {}] = updates;
  const parts = [first, ...others] as const;
  const { message } = others.length > 0 ? joinAlbum(parts) : first;
  const album = albumOf(update);
  const heard = album === undefined ? message.ctx : tools.albums.mark(album, message.ctx);
  const ctx = { ...heard, ...(await takeFiles(parts, heard, tools)) };
  tools.signal.throwIfAborted();
  if (isChange(update)) return host.amend({ ...message, ctx });
  await host.accept({ ...message, ctx });
  const { id } = readObject(update.callback_query) ?? {};
  // Only takes the clock off the button: nothing waits for it.
  if (id !== undefined)
    within(tools.clock, PRESS_MS, tools.signal, (deadline) =>
      tools.api.call('answerCallbackQuery', { callback_query_id: id }, deadline),
    ).catch(() => {});
}

function tryToRead(update: Json, tools: ReceiveTools): SourcedMessage | undefined {
  try {
    return readUpdate(update, tools);
  } catch (error) {
    tools.host.report(`An update of Telegram could not be read: ${(error as Error).message}`);
    return undefined;
  }
}

async function takeFiles(
  parts: readonly SourcedMessage[],
  ctx: MsgContext,
  tools: ReceiveTools,
): Promise<MsgContext> {
  const files = parts.flatMap(({ source }) => (source && findFile(source, tools.media)) ?? []);
  if (files.length === 0 || !(await tools.host.mayTalk(ctx))) return {};
  const results = await Promise.all(files.map((file) => downloadFile(file, tools)));
  const kept = results.flatMap((result) => ('kept' in result ? [result.kept] : []));
  const missing = results.flatMap((result) => ('missing' in result ? [result.missing] : []));
  for (const { reason } of missing) tools.host.report(`A file of Telegram did not arrive: ${reason}`);
  return mediaFields(kept, missing);
}
