/** The functions have the signatures of the design: a caller who declares them again compiles, by `npm run types`. */
import type { SessionEntry } from '@openbot/sessions';
import * as openbot from 'openbot';
import { expectTypeOf, test } from 'vitest';

interface DesignHistoryEntry {
  sender: string;
  body: string;
  timestamp?: number;
  messageId?: string;
}

type HistoryMap = Map<string, DesignHistoryEntry[]>;

/** As properties, whose parameters are compared strictly. */
interface Design {
  finalizeInboundContext: (ctx: openbot.MsgContext) => openbot.MsgContext;
  formatInboundBodyWithSenderMeta: (params: { body: string; ctx: openbot.MsgContext }) => string;
  appendUntrustedContext: (base: string, untrusted?: string[]) => string;
  prependSystemEvents: (params: {
    cfg: openbot.BotConfig;
    sessionKey: string;
    isMainSession: boolean;
    isNewSession: boolean;
    prefixedBodyBase: string;
  }) => Promise<string>;
  appendHistoryEntry: <T extends DesignHistoryEntry>(params: {
    historyMap: Map<string, T[]>;
    historyKey: string;
    entry: T;
    limit: number;
  }) => T[];
  buildHistoryContextFromMap: (params: {
    historyMap: HistoryMap;
    historyKey: string;
    limit: number;
    entry?: DesignHistoryEntry;
    currentMessage: string;
    formatEntry: (entry: DesignHistoryEntry) => string;
    excludeLast?: boolean;
  }) => string;
  evictOldHistoryKeys: <T>(historyMap: Map<string, T[]>, maxKeys?: number) => void;
  clearHistoryEntries: (params: { historyMap: HistoryMap; historyKey: string }) => void;
  ensureSkillSnapshot: (params: {
    sessionEntry?: SessionEntry;
    isFirstTurnInSession: boolean;
    workspaceDir: string;
    cfg: openbot.BotConfig;
    skillFilter?: string[];
  }) => Promise<{
    sessionEntry?: SessionEntry;
    skillsSnapshot?: openbot.SessionSkillSnapshot;
    systemSent: boolean;
  }>;
}

test('its nine functions are ours', () => {
  expectTypeOf(openbot).toExtend<Design>();
});

test('entries of its history are entries of ours', () => {
  expectTypeOf<DesignHistoryEntry>().toExtend<openbot.HistoryEntry>();
});
