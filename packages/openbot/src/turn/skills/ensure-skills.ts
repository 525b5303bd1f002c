import type { SessionSkillSnapshot } from '@openbot/sessions';
import type { TurnSession } from '../init-session.ts';
import type { Turn } from '../open-turn.ts';
import { ensureSkillSnapshot } from './ensure-skill-snapshot.ts';

/** The skills of the session's agent. A skill that cannot be read is reported to the watcher of the turn. */
export async function ensureSkills(turn: Turn, { entry }: TurnSession): Promise<SessionSkillSnapshot> {
  const { tools, agent, watcher } = turn;
  const { skillsSnapshot, problems } = await ensureSkillSnapshot({
    sessionEntry: entry,
    isFirstTurnInSession: entry.systemSent !== true,
    workspaceDir: agent.workspaceDir,
    stateDir: tools.stateDir,
    config: tools.config,
    skillFilter: agent.skills,
    watch: tools.skillWatch,
    env: tools.env,
    now: turn.startedAt,
  });
  for (const { path, reason } of problems) {
    watcher.onEvent({ type: 'warning', message: `The skill ${path} is not used: ${reason}` });
  }
  return skillsSnapshot;
}
