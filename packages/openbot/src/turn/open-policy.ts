import { findReadDenial } from '../permissions/find-denial.ts';
import { Policy } from '../permissions/policy.ts';
import type { RulePlaces } from '../permissions/rules.ts';
import { maySend, requesterOf } from './deliver.ts';
import type { TurnSession } from './init-session.ts';
import type { Turn } from './open-turn.ts';

/** What this session may do, and who is asked. */
export function openPolicy(turn: Turn, session: TurnSession, onAnswer?: () => void): Policy {
  const { tools, work, agent, message, sessions } = turn;
  const { entry, sessionKey, sessionId } = session;
  const target = requesterOf(message);
  const asker = () =>
    maySend(turn, session, target)
      ? tools.askerOf({ turnId: work.turnId, message, target })
      : 'this session must not send messages';
  return new Policy({
    settings: agent.permissions,
    places: placesOfRules(turn),
    added: rulesIn(entry.permissionsAdded),
    asker: turn.watcher.asker ?? asker(),
    clock: tools.clock,
    onAnswer,
    remember: async (rule) => {
      await sessions.store.update(sessionKey, (stored) =>
        // A rule is for the session that asked, not for the one after a reset.
        stored?.sessionId === sessionId
          ? { ...stored, permissionsAdded: [...new Set([...rulesIn(stored.permissionsAdded), rule])] }
          : stored,
      );
    },
  });
}

/** Whether a rule forbids the agent to read a file. */
export function isReadDenied(turn: Turn, path: string): boolean {
  return findReadDenial(turn.agent.permissions.deny ?? [], path, placesOfRules(turn)) !== undefined;
}

function placesOfRules({ agent, tools }: Turn): RulePlaces {
  return { workspaceDir: agent.workspaceDir, home: tools.env.HOME };
}

/** The store may have been changed by hand. */
function rulesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((rule) => typeof rule === 'string') : [];
}
