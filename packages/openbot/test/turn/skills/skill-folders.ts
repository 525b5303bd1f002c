import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { SessionSkillSnapshot } from '@openbot/sessions';
import { afterTest } from '../../../../../test/setup/cleaning.ts';
import type { BotConfig } from '../../../src/config/bot-config.ts';
import {
  ensureSkillSnapshot,
  type SkillSnapshotRequest,
} from '../../../src/turn/skills/ensure-skill-snapshot.ts';

/** An agent's folders on disk, and what its sessions get of them. */
export class SkillFolders {
  readonly root = mkdtempSync(join(tmpdir(), 'openbot-skills-'));
  readonly workspaceDir = join(this.root, 'workspace');
  readonly stateDir = join(this.root, 'state');
  readonly extraDir = join(this.root, 'extra');
  readonly bundledDir = join(this.root, 'bundled');
  readonly config: BotConfig = { skills: { load: { extraDirs: [this.extraDir] } } };

  /** `skill('workspace/skills/a', …)` */
  skill(place: string, frontmatter: string, body = 'Do it.'): string {
    return this.file(join(place, 'SKILL.md'), `---\n${frontmatter}\n---\n\n${body}\n`);
  }
  file(path: string, text: string | Buffer): string {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }
  ensure(request: Partial<SkillSnapshotRequest> = {}) {
    const { workspaceDir, stateDir, bundledDir, config } = this;
    const folders = { workspaceDir, stateDir, bundledDir, config };
    return ensureSkillSnapshot({ ...folders, isFirstTurnInSession: true, env: {}, ...request });
  }
  /** A later turn of a session that has this snapshot. */
  again(skillsSnapshot: SessionSkillSnapshot, request: Partial<SkillSnapshotRequest> = {}) {
    return this.ensure({ sessionEntry: { skillsSnapshot }, isFirstTurnInSession: false, ...request });
  }
  async names(request: Partial<SkillSnapshotRequest> = {}): Promise<string[]> {
    return (await this.ensure(request)).skillsSnapshot.skills.map(({ name }) => name);
  }
}

export function makeSkillFolders(): SkillFolders {
  const folders = new SkillFolders();
  afterTest(() => rmSync(folders.root, { recursive: true, force: true }));
  return folders;
}
