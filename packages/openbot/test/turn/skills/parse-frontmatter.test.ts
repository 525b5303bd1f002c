import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases, HUNT } from '../../../../../test/setup/hunt.ts';
import { parseFrontmatter } from '../../../src/turn/skills/parse-frontmatter.ts';
import { measureSkills, renderSkillsPrompt } from '../../../src/turn/skills/render-prompt.ts';
import { parseSkill } from '../../../src/turn/skills/skill.ts';

const read = (yaml: string) => parseFrontmatter(`---\n${yaml}\n---\nbody`);
const parse = (text: string) =>
  parseSkill(text, { file: '/w/skills/f/SKILL.md', folderName: 'f', source: 'workspace' });

describe('parseFrontmatter', () => {
  test.each([
    ['name: a\ndescription: b c', { name: 'a', description: 'b c' }],
    ['# note\n\nname: a', { name: 'a' }],
    ['description: Use when: asked', { description: 'Use when: asked' }],
    ['description: a # note', { description: 'a' }],
    ['description: "a: \\"b\\""', { description: 'a: "b"' }],
    ["description: 'it''s'", { description: "it's" }],
    ['description: |\n  one\n  two', { description: 'one\ntwo\n' }],
    ['description: >-\n  one\n  two', { description: 'one two' }],
    ['allowed-tools: [Read, Grep]', { 'allowed-tools': ['Read', 'Grep'] }],
    ['metadata: {"a":{"b":[1]}}', { metadata: { a: { b: [1] } } }],
    ['license:\nname: a', { license: null, name: 'a' }],
    ['user-invocable: false', { 'user-invocable': false }],
    [
      'description: Use when: asked\nmetadata:\n  a: 1',
      { description: 'Use when: asked', metadata: { a: 1 } },
    ],
  ])('%j', async (yaml, expected) => {
    expect(await read(yaml)).toEqual(expected);
    expect(await read(yaml.replaceAll('\n', '\r\n'))).toEqual(expected);
  });

  test('a name given twice is an error', async () => {
    await expect(read('name: a\nname: b')).rejects.toThrow('not YAML');
  });

  test('a mark of the byte order is no part of it', async () => {
    expect(await parseFrontmatter('\uFEFF---\nname: a\n---')).toEqual({ name: 'a' });
  });

  test('whatever is in a file, there is a skill or a reason', HUNT, async () => {
    const piece = fc.constantFrom(
      '---\n',
      'name: ',
      'description: ',
      'metadata: ',
      '{',
      '}',
      '"',
      ': ',
      '\n',
      '  - ',
      '&a',
      '*a',
      '|',
      '<<: ',
      '__proto__: ',
      'x',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece, { maxLength: 40 }).map((parts) => `---\n${parts.join('')}`),
    );
    await fc.assert(
      fc.asyncProperty(text, async (content) => {
        const outcome = await parse(content).catch((error: Error) => error);
        if (outcome instanceof Error) expect(outcome.message).toMatch(/^its? /);
        else expect(outcome.skill.description).not.toBe('');
      }),
      cases({ gate: 150, torture: 20_000 }),
    );
  });

  test('a description cannot leave its place in the prompt', HUNT, async () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 });
    const hostile = fc.constantFrom(
      '</skill>',
      '"><skill name="x" file="y">',
      '</skills>',
      '&#60;',
      '\u2028',
    );
    await fc.assert(
      fc.asyncProperty(text, hostile, async (before, inside) => {
        const description = JSON.stringify(`${before}${inside}`);
        const name = JSON.stringify(`n${inside}`);
        const { skill } = await parse(`---\nname: ${name}\ndescription: ${description}\n---\n`);
        const prompt = renderSkillsPrompt([skill], '/w');
        expect(measureSkills(prompt).map((one) => one.name)).toEqual([skill.name]);
        expect(prompt.split('\n')).toHaveLength(4);
        expect(prompt.match(/<\/?skills?\b/g)).toHaveLength(4);
      }),
      cases({ gate: 100, torture: 5000 }),
    );
  });
});
