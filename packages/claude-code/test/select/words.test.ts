import { describe, expect, it } from 'vitest';
import { compareWords, jaccard, wordsOf } from '../../src/select/words.ts';

describe('the words of a text', () => {
  it.each<[string, string, string[]]>([
    ['case and stop words', 'Fix THE Login, please!', ['login']],
    ['identifiers', 'loginRedirect login_redirect login-redirect', ['login', 'redirect']],
    ['paths', 'src/auth/LoginPage.tsx', ['src', 'auth', 'login', 'page', 'tsx']],
    ['acronyms', 'parseHTTPHeader URLs XMLHttpRequest', ['parse', 'http', 'header', 'url', 'xml', 'request']],
    ['a single letter in front', 'iPhone OAuth2 eBay', ['iphone', 'oauth2', 'ebay']],
    ['numbers', 'issue 42 of v2.10, utf8', ['issue', '42', 'v2', '10', 'utf8']],
    ['plurals', "sessions, the session's class and status", ['session', 'class', 'status']],
    ['plurals in -es', 'classes statuses boxes matches hashes', ['class', 'status', 'box', 'match', 'hash']],
    ['words in -e', 'caches cache clauses clause', ['cache', 'clause']],
    ['plurals of acronyms', 'APIs IDs', ['api', 'id']],
    ['contractions', "don't can't we're parser", ['parser']],
    ['nothing but stop words', 'fix it', ['fix', 'it']],
    ['no words', ' -- !? 🎉', []],
    ['Cyrillic', 'Исправить вход в систему', ['вход', 'систему']],
    [
      'German',
      'Bitte behebe den Fehler im Änderungsverlauf für die Übersicht',
      ['fehler', 'änderungsverlauf', 'übersicht'],
    ],
    ['French', 'Corrige la page de connexion dans le menu', ['page', 'connexion', 'menu']],
    ['Spanish', 'Corrige el error de la página de inicio', ['error', 'página', 'inicio']],
    ['English that is folded', 'what does the parser', ['parser']],
    ['Greek', 'ΣΎΝΔΕΣΗ', ['σύνδεση']],
    ['Arabic', 'إصلاح الدخول', ['إصلاح', 'الدخول']],
    ['Devanagari', 'लॉगिन ठीक', ['लॉगिन', 'ठीक']],
    ['Han, in pairs', '修复登录', ['复登', '登录']],
    ['Chinese grammar', '登录的错误', ['登录', '错误']],
    ['Japanese grammar', 'ログインを修正してください', ['ログ', 'グイ', 'イン', '正し']],
    ['nothing but grammar', 'してください', ['して', 'てく', 'くだ', 'ださ', 'さい']],
    ['Kana', 'ログイン', ['ログ', 'グイ', 'イン']],
    ['names in computing', 'CI on this OS', ['ci', 'os']],
    ['one character', 'x 修', ['修']],
    ['Thai', 'เข้า', ['เข', 'ข้', '้า']],
    ['width', 'ＬＯＧＩＮ', ['login']],
    ['a name that objects have', 'constructor __proto__', ['constructor', 'proto']],
  ])('are found in spite of %s', (_, text, words) => {
    expect([...wordsOf(text)]).toEqual(words);
  });

  it('do not take long to find in a long text', () => {
    expect(wordsOf('aB'.repeat(5_000_000)).size).toBeLessThan(5);
    expect(wordsOf('登'.repeat(5_000_000)).size).toBe(1);
  });
});

const compare = (task: string, text: string) => compareWords(task, [[{ text, what: '', weight: 1 }]])[0]!;

describe('what words have in common', () => {
  it.each<[string[], string[], number]>([
    [[], [], 0],
    [['a'], [], 0],
    [['a', 'b'], ['b', 'c'], 1 / 3],
    [['a', 'b'], ['b', 'a'], 1],
  ])('of %j and %j is %d', (one, other, share) => {
    expect(jaccard(new Set(one), new Set(other))).toBe(share);
    expect(jaccard(new Set(other), new Set(one))).toBe(share);
  });

  it('is named', () => {
    const relevance = compare('Repair the loginPage', 'login page is slow');
    expect(relevance).toEqual({ score: 0.5, reasoning: 'in common: login, page', by: 'words' });
    expect(compare('Parser', 'Login').reasoning).toBe('no word in common');
    const many = 'one two three four five six seven'.replace('one', 'zero');
    expect(compare(many, many).reasoning).toBe('in common: zero, two, three, four, five, …');
  });

  it.each([
    ['deploy with password=hunter2secret9 to prod', 'hunter2secret9'],
    ['deploy with the key 0123456789abcdef0123456789abcdef', '0123456789'],
    ['deploy with sk-ant-api03-AbCdEfGh12345678AbCdEfGh12345678', 'api03'],
    [`${'deploy '.repeat(2850)}password=hunter2secret9`, 'hunter2'],
  ])('is shown without secrets: %s', (text, secret) => {
    const { score, reasoning } = compare(text, text);
    expect(score).toBe(1);
    expect(reasoning).toContain('deploy');
    expect(reasoning.toLowerCase()).not.toContain(secret);
  });

  it('is what the text has that has most, of which older ones count less', () => {
    const texts = [
      { text: 'Write a parser', what: 'its title', weight: 1 },
      { text: 'Login page', what: '', weight: 1 },
      { text: 'Repair the login page', what: 'an earlier task', weight: 0.9 },
    ];
    const [found] = compareWords('Repair the login page', [texts]);
    expect(found).toEqual({
      score: 0.9,
      reasoning: 'in common with an earlier task: repair, login, page',
      by: 'words',
    });
    expect(compareWords('Repair the login page', [[]])[0]).toMatchObject({ score: 0 });
  });
});
