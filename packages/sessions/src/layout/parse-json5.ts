type Json5 = null | boolean | number | string | Json5[] | { [key: string]: Json5 };

/**
 * JSON with what people add to configuration files: comments, trailing commas, single quotes, names without quotes, line
 * continuations, hexadecimal and signed numbers. Throws a SyntaxError that says where. Objects have no prototype.
 */
export function parseJson5(text: string): Json5 {
  const reader = new Reader(text.replace(/^\ufeff/, ''));
  const value = reader.value();
  reader.skip();
  if (!reader.isAtEnd()) reader.fail('something follows the value');
  return value;
}

const BLANK = /(?:[\s\u00a0\ufeff\u2028\u2029]|\/\/[^\n\r\u2028\u2029]*|\/\*[\s\S]*?\*\/)+/y;
const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
const NUMBER =
  /[+-]?(?:0[xX][0-9a-fA-F]+|Infinity|NaN|(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?![\w$.])/y;
const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '0': '\0',
};
const MOST_NESTED = 200;

class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  fail(why: string): never {
    const line = this.#text.slice(0, this.#at).split('\n').length;
    throw new SyntaxError(`line ${line}: ${why}`);
  }

  skip(): void {
    this.#match(BLANK);
  }

  value(): Json5 {
    this.skip();
    if (++this.#depth > MOST_NESTED) this.fail('it is nested too deeply');
    const value = this.#valueHere();
    this.#depth--;
    return value;
  }

  #valueHere(): Json5 {
    const char = this.#text[this.#at];
    if (char === '{') return this.#object();
    if (char === '[') return this.#array();
    if (char === '"' || char === "'") return this.#string(char);
    const number = this.#match(NUMBER);
    if (number !== undefined) return toNumber(number);
    const name = this.#match(NAME);
    if (name === 'true') return true;
    if (name === 'false') return false;
    if (name === 'null') return null;
    return this.fail('a value is expected');
  }

  #object(): Json5 {
    const object: { [key: string]: Json5 } = Object.create(null);
    this.#at++;
    for (;;) {
      this.skip();
      if (this.#take('}')) return object;
      const char = this.#text[this.#at];
      const key = char === '"' || char === "'" ? this.#string(char) : this.#match(NAME);
      if (key === undefined) this.fail('a name is expected');
      this.skip();
      if (!this.#take(':')) this.fail('":" is expected');
      object[key] = this.value();
      this.skip();
      if (!this.#take(',') && this.#text[this.#at] !== '}') this.fail('"," or "}" is expected');
    }
  }

  #array(): Json5 {
    const array: Json5[] = [];
    this.#at++;
    for (;;) {
      this.skip();
      if (this.#take(']')) return array;
      array.push(this.value());
      this.skip();
      if (!this.#take(',') && this.#text[this.#at] !== ']') this.fail('"," or "]" is expected');
    }
  }

  #string(quote: string): string {
    let text = '';
    for (this.#at++; ; this.#at++) {
      const char = this.#text[this.#at];
      if (char === undefined || char === '\n' || char === '\r') this.fail('a text has no end');
      if (char === quote) {
        this.#at++;
        return text;
      }
      text += char === '\\' ? this.#escape() : char;
    }
  }

  #escape(): string {
    const char = this.#text[++this.#at];
    if (char === undefined) this.fail('a text has no end');
    if (char === '\r' && this.#text[this.#at + 1] === '\n') this.#at++;
    if (/[\n\r\u2028\u2029]/.test(char)) return '';
    if (char !== 'u' && char !== 'x') return ESCAPES[char] ?? char;
    const length = char === 'u' ? 4 : 2;
    const digits = this.#text.slice(this.#at + 1, this.#at + 1 + length);
    if (!/^[0-9a-fA-F]+$/.test(digits) || digits.length < length) this.fail('an escape is cut short');
    this.#at += length;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  #take(char: string): boolean {
    if (this.#text[this.#at] !== char) return false;
    this.#at++;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}

function toNumber(text: string): number {
  const sign = text.startsWith('-') ? -1 : 1;
  return sign * Number(text.replace(/^[+-]/, ''));
}
