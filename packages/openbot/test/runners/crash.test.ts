import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeSession } from './session.ts';

const SOURCES = join(import.meta.dirname, '../../src');

it('a scripted crash kills the process, and what was said before is kept', async () => {
  const session = await makeSession({ provider: 'script', model: 'x' });
  await session.ask('hello');
  const { workspaceDir, path } = session;
  const program = `
    import { appendToTranscript } from '@openbot/sessions';
    import { makeScriptRunner } from ${JSON.stringify(join(SOURCES, 'runners/script/runner.ts'))};
    import { FILE_TOOLS } from ${JSON.stringify(join(SOURCES, 'tools/all.ts'))};
    import { openRunTools } from ${JSON.stringify(join(SOURCES, 'tools/run-tools.ts'))};
    const steps = [{ text: 'I look.' }, { tool: 'list_files' }, { text: 'I s' }, { crash: true }];
    const run = makeScriptRunner({ script: { turns: [{ steps }] } }).start({
      append: async (drafts) => (await appendToTranscript(${JSON.stringify(path)}, drafts)).entries,
      measureContext: async () => 0,
      model: { provider: 'script', model: 'x' },
      prompt: 'hello',
      tools: openRunTools(FILE_TOOLS, { workspaceDir: ${JSON.stringify(workspaceDir)} }),
      signal: new AbortController().signal,
    });
    for await (const event of run.events) console.log(event.type);
  `;
  const args = ['--conditions=openbot-source', '--input-type=module', '-e', program];
  const { signal, stderr } = spawnSync(process.execPath, args, { cwd: SOURCES, encoding: 'utf8' });
  expect({ signal, stderr }).toEqual({ signal: 'SIGKILL', stderr: '' });
  expect(session.messages()).toEqual([
    'user: hello',
    'assistant: I look.[list_files]',
    'toolResult: (no files)',
  ]);
});
