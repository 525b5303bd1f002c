import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../src/select/relevance-answer.ts';

const row = (id: unknown, score: unknown = 0.5, why: unknown = 'same page') => ({ id, score, why });
const answer = (...rows: unknown[]) => JSON.stringify({ sessions: rows });

describe('an answer of the model', () => {
  it.each<[string, string]>([
    ['plain', answer(row(1, 0), row(2, 1, 'the same'))],
    ['with space around it', `\n  ${answer(row(1, 0), row(2, 1, 'the same'))}\n`],
    ['over several lines', JSON.stringify({ sessions: [row(1, 0), row(2, 1, 'the same')] }, null, 2)],
    ['in a block of code', `\`\`\`json\n${answer(row(1, 0), row(2, 1, 'the same'))}\n\`\`\``],
    ['in a block without a name', `\`\`\`\n${answer(row(1, 0), row(2, 1, 'the same'))}\n\`\`\`\n`],
    ['with more than was asked for', answer({ ...row(1, 0), sure: true }, row(2, 1, 'the same'))],
  ])('is read: %s', (_, text) => {
    expect(readAnswer(text, 2)).toEqual({
      ratings: [
        { score: 0, reasoning: 'same page', by: 'model' },
        { score: 1, reasoning: 'the same', by: 'model' },
      ],
    });
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['an object', { sessions: [row(1), row(2)] }],
    ['empty', ''],
    ['prose', 'I cannot rate these sessions.'],
    ['prose before it', `Here you are:\n${answer(row(1), row(2))}`],
    ['prose behind it', `${answer(row(1), row(2))}\nI hope that helps.`],
    ['prose around a block', `Sure!\n\`\`\`json\n${answer(row(1), row(2))}\n\`\`\``],
    ['two answers', `${answer(row(1), row(2))}\n${answer(row(1), row(2))}`],
    ['cut off', answer(row(1), row(2)).slice(0, -5)],
    ['a bare list', JSON.stringify([row(1), row(2)])],
    ['null', 'null'],
    ['no list', '{"sessions":{"1":0.5,"2":0.5}}'],
    ['one missing', answer(row(1))],
    ['one too many', answer(row(1), row(2), row(3))],
    ['none', answer()],
    ['the wrong order', answer(row(2), row(1))],
    ['one twice', answer(row(1), row(1))],
    ['ids from 0', answer(row(0), row(1))],
    ['ids as text', answer(row('1'), row('2'))],
    ['a score above 1', answer(row(1, 1.0001), row(2))],
    ['a score below 0', answer(row(1), row(2, -0.1))],
    ['a percentage', answer(row(1, 80), row(2, 20))],
    ['a score as text', answer(row(1, '0.5'), row(2))],
    ['a score without value', answer(row(1, null), row(2))],
    ['NaN', '{"sessions":[{"id":1,"score":NaN,"why":""},{"id":2,"score":0.5,"why":""}]}'],
    ['an endless score', '{"sessions":[{"id":1,"score":1e999,"why":""},{"id":2,"score":0.5,"why":""}]}'],
    ['no reason', answer({ id: 1, score: 0.5 }, row(2))],
    ['a reason that is no text', answer(row(1, 0.5, 7), row(2))],
    ['rows that are no objects', answer(0.5, 0.5)],
    ['very long', `${answer(row(1), row(2))}${' '.repeat(200_000)}`],
  ])('is refused as a whole: %s', (_, text) => {
    expect(readAnswer(text, 2)).toEqual({ fault: expect.any(String) });
  });

  it('gives reasons of one short line', () => {
    const read = readAnswer(answer(row(1, 0.5, `first\nsecond \u001b[2J ${'x'.repeat(500)}`)), 1);
    const reasoning = 'ratings' in read ? read.ratings[0]!.reasoning : '';
    expect(reasoning).toMatch(/^first second �\[2J x+…$/);
    expect(reasoning.length).toBeLessThanOrEqual(120);
  });
});
