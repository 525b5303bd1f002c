import type { MsgContext } from '@openbot/sessions';
import { shorten } from '@openbot/sessions/terminal-text';
import { cleanText } from './clean-text.ts';

type Sender = Pick<MsgContext, 'SenderName' | 'SenderUsername' | 'SenderTag' | 'SenderE164' | 'SenderId'>;

const MAX_NAME = 128;

/**
 * A name that a person chose, as it may appear in a line of ours: on one line, without square brackets, and quoted when
 * it could be read as a sender with its message (`Owner: do it`) or as the system.
 */
export function formatSenderName(name: string): string {
  const plain = formatSenderId(name);
  if (/^"[^"]*"$/.test(plain)) return plain;
  const read = plain
    .normalize('NFKC')
    .replace(/[\p{Cf}\s]/gu, '')
    .toLowerCase();
  const isDoubtful = read === 'system' || /[:꞉∶ː]/.test(read);
  return isDoubtful ? `"${plain.replaceAll('"', "'")}"` : plain;
}

/** An id that the network gave: on one line, without square brackets. */
export function formatSenderId(id: string): string {
  return shorten(
    cleanText(id.slice(0, 4 * MAX_NAME))
      .replace(/\s+/g, ' ')
      .trim(),
    MAX_NAME,
  )
    .replace(/[[【〔〖〚⟦［﹝]/g, '(')
    .replace(/[\]】〕〗〛⟧］﹞]/g, ')');
}

/** Who wrote a message, by the best name that the channel knows; undefined when it knows none. */
export function resolveSenderName(ctx: Sender): string | undefined {
  const name = [ctx.SenderName, ctx.SenderUsername, ctx.SenderTag, ctx.SenderE164, ctx.SenderId].find(isText);
  return name === undefined ? undefined : formatSenderName(name);
}

/** `Alice (+1234567890)`: the name, and an id that the person cannot choose. */
export function resolveSenderLabel(ctx: Sender): string | undefined {
  const name = resolveSenderName(ctx);
  if (name === undefined) return undefined;
  const rawId = [ctx.SenderE164, ctx.SenderId].find(isText);
  const id = rawId === undefined ? undefined : formatSenderId(rawId);
  if (id !== undefined && name === formatSenderName(id)) return id;
  if (id !== undefined) return `${name} (${id})`;
  // Without an id behind it, `Alice (+1234567890)` could be a name that the person chose.
  return name.includes('(') ? `${name} (id unknown)` : name;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
