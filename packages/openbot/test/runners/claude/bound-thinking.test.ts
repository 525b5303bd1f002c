/** Claude Code with a model that binds thinking: what it loses is told. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { say, think } from '../../../../../test/imitations/messages-format.ts';
import { MODEL, missing, useClaude } from './claude-talk.ts';

/** Claude Code asks only Anthropic to drop thinking. */
const FIRST_PARTY = '_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL';
/** With an API key it waits there for settings of the organisation, which it asks the real address for. */
const TOKEN = { ANTHROPIC_API_KEY: '', ANTHROPIC_AUTH_TOKEN: 'imitation' };

const claude = useClaude();

describe.skipIf(missing !== undefined)('claude, with a model that binds thinking', () => {
  it('drops what was thought behind other words, and says where it was', async () => {
    const talk = await claude.openTalk({
      config: { tools: { exec: { passEnv: [FIRST_PARTY] } } },
      env: { [FIRST_PARTY]: '1', ...TOKEN },
    });
    const model = { ...MODEL, model: 'claude-opus-5-5' };
    const replies = (text: string) => [{ blocks: [think(text), say(text)] }];
    const first = await talk.ask('first', replies('one'), { model });
    expect(first.filter(({ type }) => type === 'thinking-dropped')).toEqual([]);
    // Somebody edits Claude Code's own session.
    for (const path of globSync(join(claude.bench.home.config, 'projects/*/*.jsonl')))
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll('first', 'other'));
    const second = await talk.ask('second', replies('two'), { model });
    const paths = claude.bench.api.dropped.map(({ path }) => path);
    expect(paths).toHaveLength(1);
    expect(second.filter(({ type }) => type === 'thinking-dropped')).toEqual([
      { type: 'thinking-dropped', by: 'claude/claude-opus-5-5', paths },
    ]);
    expect(second.at(-1)).toEqual({ type: 'end', reason: 'stop' });
  });
});
