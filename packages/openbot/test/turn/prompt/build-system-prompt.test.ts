import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases, HUNT } from '../../../../../test/setup/hunt.ts';
import { buildSystemPrompt, type SystemPromptRequest } from '../../../src/turn/prompt/build-system-prompt.ts';
import { makeTempFolder } from '../../setup/temp-folder.ts';

const NOW = Date.UTC(2026, 10, 16, 22, 0);

function makeWorkspace(files: Readonly<Record<string, string | Buffer>> = {}): string {
  const folder = makeTempFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

function build(request: Partial<SystemPromptRequest> & { workspaceDir: string }) {
  return buildSystemPrompt({
    agentId: 'main',
    stateDir: '/state',
    sessionKey: 'agent:main:main',
    sessionId: 'sid-1',
    isShared: false,
    model: { provider: 'script', model: 'demo', contextWindow: 200_000 },
    now: NOW,
    ...request,
  });
}

describe('what it says', () => {
  test('who, where, how to reply, and the facts of the session', () => {
    const workspaceDir = makeWorkspace();
    const { text } = build({
      workspaceDir,
      agentName: 'Ada',
      systemPrompt: 'Be kind.',
      channel: 'telegram',
      skillsPrompt: 'SKILLS HERE',
      groupIntro: 'A GROUP',
      tools: [{ name: 'read_file', description: 'Reads a file.\nMore.' }, { name: 'bare' }],
      extra: 'ONLY NOW',
      timeZone: 'Europe/Berlin',
    });
    expect(text.startsWith('Be kind.\n\nYou are Ada, an agent')).toBe(true);
    for (const token of ['NO_REPLY', 'HEARTBEAT_OK', '[[reply_to_current]]', 'MEDIA:', workspaceDir]) {
      expect(text).toContain(token);
    }
    expect(text).toContain('- read_file: Reads a file.\n- bare\n');
    expect(text).toContain('SKILLS HERE');
    expect(text).toContain('A GROUP');
    expect(text).toContain('occ edit sid-1 --state-dir "/state" --strip-tools');
    expect(text).toContain('Runtime: agent=main | session=agent:main:main | sessionId=sid-1\n');
    expect(text.endsWith('\n\nONLY NOW')).toBe(true);
  });

  test('a session that may only read is told so, and not asked to write', () => {
    const workspaceDir = makeWorkspace();
    const { text } = build({ workspaceDir, isReadOnly: true });
    expect(text).toContain('cannot change them');
    expect(text).not.toContain('memory/YYYY-MM-DD.md');
  });

  test('it is the same whatever the day, the network and the model', () => {
    const workspaceDir = makeWorkspace();
    const first = build({ workspaceDir, timeZone: 'Europe/Berlin' });
    const other = build({
      workspaceDir,
      now: NOW + 90 * 86_400_000,
      timeZone: 'Asia/Tokyo',
      channel: 'telegram',
      model: { provider: 'far', model: 'm', contextWindow: 1000 },
    });
    expect(other.text).toBe(first.text);
    expect(other.report).toMatchObject({ provider: 'far', model: 'm' });
  });

  test('the day of its facts is the one where the agent is', () => {
    const workspaceDir = makeWorkspace();
    const at = (now: number, timeZone: string) => build({ workspaceDir, now, timeZone }).facts.date;
    // The day on which clocks go back has 25 hours.
    const start = Date.UTC(2026, 9, 24, 22);
    const hour = 3_600_000;
    const dates = Array.from({ length: 25 }, (_, n) => at(start + n * hour, 'Europe/Berlin'));
    expect(new Set(dates)).toEqual(new Set(['2026-10-25']));
    expect(at(start - 1, 'Europe/Berlin')).toBe('2026-10-24');
    expect(at(start + 25 * hour, 'Europe/Berlin')).toBe('2026-10-26');
    expect(at(NOW, 'Pacific/Kiritimati')).toBe('2026-11-17');
    expect(at(NOW, 'No/Where')).toBe('2026-11-16');
  });
});

describe('files of the workspace', () => {
  test('those that are there, in a fixed order; what changes is read again', () => {
    const workspaceDir = makeWorkspace({
      'SOUL.md': 'soft',
      'AGENTS.md': '\uFEFFwork\r\nwell\n\n',
      'OTHER.md': 'no',
    });
    const first = build({ workspaceDir });
    expect(first.text).toContain(
      '### AGENTS.md: how you work\nwork\nwell\n\n### SOUL.md: your character and tone\nsoft\n',
    );
    expect(first.text).not.toContain('OTHER.md');
    writeFileSync(join(workspaceDir, 'SOUL.md'), 'hard');
    expect(build({ workspaceDir }).text).toContain('\nhard\n');
  });

  test('a private memory does not reach a group', () => {
    const workspaceDir = makeWorkspace({ 'MEMORY.md': 'the secret', 'USER.md': 'Ann' });
    expect(build({ workspaceDir }).text).toContain('the secret');
    const { text, report } = build({ workspaceDir, isShared: true });
    expect(text).not.toContain('the secret');
    expect(text).not.toContain('MEMORY.md');
    expect(report.injectedWorkspaceFiles.map(({ name }) => name)).toEqual(['USER.md']);
  });

  test('a long file is cut in its middle, and a note says so', () => {
    const long = `START${'é'.repeat(30_000)}END`;
    const workspaceDir = makeWorkspace({ 'AGENTS.md': long });
    const { text, report } = build({ workspaceDir });
    expect(text).toContain('START');
    expect(text).toContain('éEND');
    const [, missing] = /\[(\d+) of 30008 characters of AGENTS.md are left out here/.exec(text)!;
    const [file] = report.injectedWorkspaceFiles;
    expect(file).toMatchObject({ rawChars: 30_008, truncated: true });
    expect(file!.injectedChars).toBeLessThanOrEqual(20_000);
    expect(text.match(/é/g)!.length + 'STARTEND'.length).toBe(30_008 - Number(missing));
    expect(report.bootstrapTruncation).toMatchObject({ truncatedFiles: 1 });
  });

  test('all of them together have a limit too', () => {
    const names = ['AGENTS.md', 'SOUL.md', 'TOOLS.md', 'IDENTITY.md', 'USER.md', 'MEMORY.md'];
    const workspaceDir = makeWorkspace(Object.fromEntries(names.map((name) => [name, 'x'.repeat(19_000)])));
    const { text, report } = build({ workspaceDir });
    expect(text).toContain('There was no room here for USER.md, MEMORY.md. Read them when you need them.');
    const injected = report.injectedWorkspaceFiles.map(({ injectedChars }) => injectedChars);
    expect(injected.slice(0, 3)).toEqual([19_000, 19_000, 19_000]);
    expect(injected[3]).toBeGreaterThan(2000);
    expect(injected.reduce((sum, n) => sum + n)).toBeLessThanOrEqual(60_000);
  });

  test('a file of many megabytes is not read whole', () => {
    const workspaceDir = makeWorkspace({ 'MEMORY.md': `FIRST ${'😀'.repeat(1_000_000)} LAST` });
    const { text } = build({ workspaceDir });
    expect(text).toContain('FIRST 😀');
    expect(text).toContain('😀 LAST');
    expect(text.isWellFormed()).toBe(true);
    expect(text.length).toBeLessThan(25_000);
  });

  test('links out of the workspace, folders and broken text do no harm', () => {
    const outside = makeWorkspace({ secret: 'outside words' });
    const workspaceDir = makeWorkspace({ 'USER.md': Buffer.from([0xff, 0x41]), notes: 'linked words' });
    symlinkSync(join(outside, 'secret'), join(workspaceDir, 'SOUL.md'));
    symlinkSync('notes', join(workspaceDir, 'AGENTS.md'));
    mkdirSync(join(workspaceDir, 'TOOLS.md'));
    const { text } = build({ workspaceDir });
    expect(text).not.toContain('outside words');
    expect(text).toContain('linked words');
    expect(text).toContain('\uFFFDA');
    expect(build({ workspaceDir: join(workspaceDir, 'missing') }).report.injectedWorkspaceFiles).toEqual([]);
  });
});

describe('the report', () => {
  test('says what the prompt was made of', () => {
    const workspaceDir = makeWorkspace({ 'AGENTS.md': 'work well', 'SOUL.md': ' \n' });
    const parameters = { type: 'object' };
    const skillsPrompt = 'Use them.\n<skills>\n<skill name="a" file="f">x</skill>\n</skills>';
    const { text, report } = build({
      workspaceDir,
      skillsPrompt,
      tools: [{ name: 'read_file', description: 'Reads.', parameters }],
    });
    const files = text.slice(text.indexOf('## Files'), text.indexOf('\n\nRuntime:'));
    expect(report).toEqual({
      source: 'run',
      generatedAt: NOW,
      sessionId: 'sid-1',
      sessionKey: 'agent:main:main',
      provider: 'script',
      model: 'demo',
      workspaceDir,
      bootstrapMaxChars: 20_000,
      bootstrapTotalMaxChars: 60_000,
      systemPrompt: {
        chars: text.length,
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        projectContextChars: files.length,
        nonProjectContextChars: text.length - files.length,
      },
      injectedWorkspaceFiles: [
        {
          name: 'AGENTS.md',
          path: join(workspaceDir, 'AGENTS.md'),
          missing: false,
          rawChars: 9,
          injectedChars: 9,
          truncated: false,
        },
        {
          name: 'SOUL.md',
          path: join(workspaceDir, 'SOUL.md'),
          missing: false,
          rawChars: 0,
          injectedChars: 0,
          truncated: false,
        },
      ],
      skills: { promptChars: skillsPrompt.length, entries: [{ name: 'a', blockChars: 34 }] },
      tools: {
        listChars: '## Tools\n- read_file: Reads.'.length,
        schemaChars: 17,
        entries: [{ name: 'read_file', summaryChars: 19, schemaChars: 17 }],
      },
    });
  });

  test('its figures add up for any files, and no limit is passed', HUNT, () => {
    const names = ['AGENTS.md', 'SOUL.md', 'TOOLS.md', 'USER.md', 'MEMORY.md'];
    const text = fc.tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 50 }), fc.nat(2000));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), text), (files) => {
        const workspaceDir = makeWorkspace(
          Object.fromEntries(
            Object.entries(files).map(([name, [words, times]]) => [name, words.repeat(times)]),
          ),
        );
        const { text: prompt, report } = build({ workspaceDir });
        const { chars, projectContextChars, nonProjectContextChars } = report.systemPrompt;
        expect(chars).toBe(prompt.length);
        expect(projectContextChars + nonProjectContextChars).toBe(chars);
        const injected = report.injectedWorkspaceFiles;
        for (const one of injected) {
          expect(one.injectedChars).toBeLessThanOrEqual(20_000);
          expect(one.truncated).toBe(one.injectedChars < one.rawChars);
        }
        expect(injected.reduce((sum, one) => sum + one.injectedChars, 0)).toBeLessThanOrEqual(60_000);
      }),
      cases({ gate: 30, torture: 1000 }),
    );
  });
});
