import type { MsgContext } from '@openbot/sessions';
import { readText } from '../read-json.ts';
import type { SourcedMessage } from './read-update.ts';

/** More are no album for Telegram. */
export const LARGEST_ALBUM = 10;
/** Albums that are remembered. */
const REMEMBERED = 100;

/** One message with the files of all. Telegram sends each on its own, and one of them alone has the words. */
export function joinAlbum(parts: readonly [SourcedMessage, ...SourcedMessage[]]): SourcedMessage {
  const [first] = parts;
  const words = parts.filter(({ source }) => readText(source?.caption));
  const texts = (words.length > 0 ? words : parts).map(({ message }) => message.ctx.RawBody ?? '');
  const text = [...new Set(texts)].join('\n');
  const isMentioned = parts.some(({ message }) => message.ctx.WasMentioned === true);
  const ctx: MsgContext = {
    ...first.message.ctx,
    Body: text,
    RawBody: text,
    CommandBody: text,
    ...(isMentioned && { WasMentioned: true }),
  };
  return { ...first, message: { ...first.message, ctx } };
}

/** Albums whose words were for the bot, for parts that come behind them: those are for it, too. */
export class AddressedAlbums {
  readonly #keys = new Set<string>();

  mark(album: string, ctx: MsgContext): MsgContext {
    if (this.#keys.has(album) && ctx.WasMentioned === false) return { ...ctx, WasMentioned: true };
    if (ctx.WasMentioned === true) this.#keys.add(album);
    const [oldest] = this.#keys;
    if (this.#keys.size > REMEMBERED) this.#keys.delete(oldest!);
    return ctx;
  }
}
