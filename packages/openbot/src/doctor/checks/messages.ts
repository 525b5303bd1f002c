import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { formatAge, formatQuantity } from '@openbot/sessions/terminal-text';
import { DATABASE_NAME } from '../../database/bot-database.ts';
import { findHolder } from '../../gateway-process/find-gateway.ts';
import { INDEX_NAME } from '../../index-db/index-database.ts';
import { identify, moveAside } from '../../index-db/move-aside.ts';
import { type KeptMessages, lookIntoMessages } from '../../kept-messages/look-into-messages.ts';
import type { ChannelStatus } from '../../state-report/contract.ts';
import { describeChannels, describeIndex, findRuns } from '../../state-report/parts.ts';
import { checkDatabase } from '../../state-report/probe-state.ts';
import type { Check, Finding, Place } from '../contract.ts';

/** A run takes no longer, and neither does the process that is started next. */
const STUCK_MS = 60 * 60 * 1000;

export const database: Check = {
  name: 'database',
  about: 'The database of messages, page by page',
  look({ stateDir }) {
    const path = join(stateDir, DATABASE_NAME);
    const wrong = existsSync(path) ? checkDatabase(path) : undefined;
    if (wrong === undefined) return [];
    return [
      {
        severity: 'problem',
        what: `${path} ${wrong.says}`,
        remedy: wrong.isDamaged
          ? 'Restore a backup of it. Moving it away loses messages without an answer and replies that were not sent'
          : 'Check who may read it, and whether a process keeps it locked',
      },
    ];
  },
};

export const deadLetters: Check = {
  name: 'dead-letters',
  about: 'Replies that could not be sent',
  isQuick: true,
  look: (place) => {
    const dead = look(place)?.outbox.dead ?? 0;
    if (dead === 0) return [];
    const what = `${formatQuantity(dead, 'reply', 'replies')} could not be sent`;
    return [{ severity: 'warning', what, remedy: "'openbot outbox list' shows them" }];
  },
};

export const stuckMessages: Check = {
  name: 'stuck-messages',
  about: 'Messages that wait for an answer, and replies that wait to be sent',
  isQuick: true,
  look: (place) => {
    const { waiting = [], unsent = [] } = look(place) ?? {};
    const { now, stateDir } = place;
    const isRunning = findRuns(stateDir).length > 0;
    const isServed = findHolder(stateDir) !== undefined;
    const served = new Set(describeChannels(place.config ?? {}).flatMap(servedName));
    const canSend = (channel: string) => isServed || served.has(channel);
    const old = ({ since }: { readonly since: number }) => now - since > STUCK_MS;
    return [
      ...(isRunning ? [] : waiting.filter(old)).map(
        ({ sessionKey, waiting: count, running, since }): Finding => ({
          severity: 'warning',
          what: `${formatQuantity(count + running, 'message')} of ${sessionKey} without an answer, since ${formatAge(since, now)}`,
          remedy: 'The next message in that session has them answered: openbot agent --session-key …',
        }),
      ),
      ...unsent
        .filter((letters) => old(letters) || !canSend(letters.channel))
        .map(
          ({ channel, count, since }): Finding => ({
            severity: 'warning',
            what: `${formatQuantity(count, 'reply', 'replies')} for ${channel} not sent, since ${formatAge(since, now)}`,
            remedy: `They are sent by a process that has this channel${canSend(channel) ? '' : ', and none is configured'}; 'openbot outbox list --all' shows them, 'openbot outbox drop' removes them`,
          }),
        ),
    ];
  },
};

/** Of a channel that a gateway would open. */
function servedName({ name, enabled, hasDriver }: ChannelStatus): string[] {
  return enabled && hasDriver ? [name] : [];
}

export const index: Check = {
  name: 'index',
  about: 'The index of what was said',
  look(place) {
    const { stateDir } = place;
    const path = join(stateDir, INDEX_NAME);
    const seen = identify(path);
    if (seen === undefined) return [];
    const wrong = checkDatabase(path);
    if (wrong !== undefined) {
      const what = `${path} ${wrong.says}`;
      if (!wrong.isDamaged) return [{ severity: 'warning', what, remedy: 'Check who may read it' }];
      const fix = {
        does: 'Give it another name (….aside-…); it is built anew from the transcripts',
        // Where a process has done it since, nothing is left to do.
        apply: () => moveAside(path, seen).then(() => {}),
      };
      return [{ severity: 'warning', what, fix }];
    }
    const isCurrent = describeIndex(stateDir)?.isCurrent ?? true;
    return isCurrent
      ? []
      : [
          {
            severity: 'warning',
            what: `${path} is of another version`,
            remedy: 'It is built anew at its next use',
          },
        ];
  },
};

function look({ stateDir }: Place): KeptMessages | undefined {
  try {
    return lookIntoMessages(stateDir);
  } catch {
    // The check of the database says why.
    return undefined;
  }
}
