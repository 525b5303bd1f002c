import {
  normalizeQueueDropPolicy,
  normalizeQueueMode,
  type QueueSettings,
  resolveQueueSettings,
} from '@openbot/sessions/policy';
import { parseDuration } from '../config/duration.ts';
import { UNSET_WORDS } from './choice-setting.ts';
import type { EntryPatch, SessionSetting, SettingPlace } from './contract.ts';

const MODES = ['steer', 'followup', 'collect', 'steer-backlog', 'interrupt'];
const OPTION = /^(debounce|cap|drop)[:=](\S+)$/i;

/** What a message says of the queue for itself alone. */
export function readQueueHint(text: string): Partial<QueueSettings> {
  const { queueMode, queueDebounceMs, queueCap, queueDrop } = readPatch(text) ?? {};
  return {
    ...(queueMode !== undefined && { mode: normalizeQueueMode(queueMode) }),
    ...(queueDebounceMs !== undefined && { debounceMs: queueDebounceMs }),
    ...(queueCap !== undefined && { cap: queueCap }),
    ...(queueDrop !== undefined && { dropPolicy: queueDrop }),
  };
}

/** A mode, options, or both: `collect debounce:2s cap:25 drop:summarize`, as OpenClaw writes them. */
export const QUEUE_SETTING: SessionSetting = {
  name: 'queue',
  summary: 'What happens to a message that arrives during a run',
  values: `${MODES.join('|')} [debounce:2s] [cap:20] [drop:old|new|summarize]`,
  fields: ['queueMode', 'queueDebounceMs', 'queueCap', 'queueDrop'],
  unsetBy: UNSET_WORDS,
  read: (text) => {
    const patch = readPatch(text);
    if (patch !== undefined) return { isRead: true, patch };
    const modes = [...MODES, UNSET_WORDS[0]].join(', ');
    const problem = `${JSON.stringify(text.trim())} is neither a queue mode (${modes}) nor debounce:2s, cap:20 or drop:old|new|summarize.`;
    return { isRead: false, problem };
  },
  show: ({ config, channel, entry }: SettingPlace) => {
    const { mode, debounceMs, cap, dropPolicy } = resolveQueueSettings({
      cfg: config,
      channel,
      sessionEntry: entry,
    });
    return `${mode} debounce:${debounceMs / 1000}s cap:${cap} drop:${dropPolicy}`;
  },
  countWords: ([first = '', ...more]) => {
    if (normalizeQueueMode(first) === undefined) return 0;
    const end = more.findIndex((word) => !OPTION.test(word) || readPart(word) === undefined);
    return 1 + (end < 0 ? more.length : end);
  },
};

function readPatch(text: string): EntryPatch | undefined {
  const parts = text.trim().split(/\s+/).map(readPart);
  return parts.includes(undefined) ? undefined : Object.assign({}, ...parts);
}

function readPart(word: string): EntryPatch | undefined {
  const mode = normalizeQueueMode(word);
  if (mode !== undefined) return { queueMode: mode };
  const [, name = '', value = ''] = OPTION.exec(word) ?? [];
  switch (name.toLowerCase()) {
    case 'debounce': {
      const ms = readMs(value);
      return ms === undefined ? undefined : { queueDebounceMs: ms };
    }
    case 'cap':
      return /^[1-9]\d{0,5}$/.test(value) ? { queueCap: Number(value) } : undefined;
    case 'drop': {
      const drop = normalizeQueueDropPolicy(value);
      return drop && { queueDrop: drop };
    }
    default:
      return undefined;
  }
}

/** `500ms`, `2s`; a bare number is ms, as in OpenClaw. */
function readMs(value: string): number | undefined {
  if (/^\d{1,9}$/.test(value)) return Number(value);
  return parseDuration(value);
}
