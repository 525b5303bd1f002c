/** Where and why bytes stop being JSON. */
interface JsonFault {
  offset: number;
  line: number;
  column: number;
  reason: string;
}

/**
 * Finds the first byte that no JSON text can have there; undefined when the text is fine. JSON.parse does not always
 * say where it stopped, and quotes the text around it, which may hold secrets.
 */
export function findJsonFault(bytes: Uint8Array): JsonFault | undefined {
  const stopped = new Scanner(bytes).run();
  if (stopped === undefined) return undefined;
  const { offset, reason } = stopped;
  let line = 1;
  let lineStart = 0;
  for (let at = 0; at < offset; at++) {
    if (bytes[at] === 0x0a) {
      line++;
      lineStart = at + 1;
    }
  }
  return { offset, line, column: offset - lineStart + 1, reason };
}

const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);
const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/;

const NUMBER_BYTES = new Set(Buffer.from('-+.eE0123456789'));

interface Stop {
  offset: number;
  reason: string;
}

/** A bit for each container that is open: a line may open millions. */
class OpenContainers {
  depth = 0;
  #isObject = new Uint8Array(64);

  /** The byte that ends the innermost one; undefined outside of all. */
  get closer(): number | undefined {
    if (this.depth === 0) return undefined;
    const bit = this.depth - 1;
    return (this.#isObject[bit >> 3]! & (1 << (bit & 7))) === 0 ? CLOSE_LIST : CLOSE;
  }

  push(isObject: boolean): void {
    const bit = this.depth++;
    if (bit >> 3 === this.#isObject.length) {
      const grown = new Uint8Array(2 * this.#isObject.length);
      grown.set(this.#isObject);
      this.#isObject = grown;
    }
    const mask = 1 << (bit & 7);
    if (isObject) this.#isObject[bit >> 3]! |= mask;
    else this.#isObject[bit >> 3]! &= ~mask;
  }

  pop(): void {
    this.depth--;
  }
}

class Scanner {
  #at = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  run(): Stop | undefined {
    const open = new OpenContainers();
    let expect: 'value' | 'key' | 'first' | 'after' = 'value';
    for (;;) {
      this.#skipSpace();
      const byte = this.#bytes[this.#at];
      if (byte === undefined)
        return expect === 'after' && open.depth === 0 ? undefined : this.#stop('the text ends too early');
      if (expect === 'after') {
        const { closer } = open;
        if (closer === undefined) return this.#stop('there is text after the end');
        if (byte === COMMA) expect = closer === CLOSE ? 'key' : 'value';
        else if (byte === closer) open.pop();
        else return this.#stop(`expected a comma or ${closer === CLOSE ? '}' : ']'}`);
        this.#at++;
      } else if (expect === 'first' && byte === open.closer) {
        open.pop();
        this.#at++;
        expect = 'after';
      } else if (expect === 'key' || (expect === 'first' && open.closer === CLOSE)) {
        const fault = this.#key(byte);
        if (fault !== undefined) return fault;
        expect = 'value';
      } else if (byte === OPEN || byte === OPEN_LIST) {
        open.push(byte === OPEN);
        this.#at++;
        expect = 'first';
      } else {
        const fault = byte === QUOTE ? this.#string() : this.#scalar();
        if (fault !== undefined) return fault;
        expect = 'after';
      }
    }
  }

  #key(byte: number): Stop | undefined {
    if (byte !== QUOTE) return this.#stop('expected a key in quotes');
    const fault = this.#string();
    if (fault !== undefined) return fault;
    this.#skipSpace();
    if (this.#bytes[this.#at] !== COLON) return this.#stop('expected a colon');
    this.#at++;
    return undefined;
  }

  #string(): Stop | undefined {
    const start = this.#at++;
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) return { offset: start, reason: 'a string that begins here has no end' };
      if (byte < 0x20) return this.#stop('a control character in a string');
      if (byte === BACKSLASH) {
        const ahead = this.#ahead(6);
        const length = /^\\["\\/bfnrt]/.test(ahead) ? 2 : /^\\u[0-9a-fA-F]{4}/.test(ahead) ? 6 : 0;
        if (length === 0) return this.#stop('an escape that JSON does not know');
        this.#at += length;
      } else {
        this.#at++;
        if (byte === QUOTE) return undefined;
      }
    }
  }

  #scalar(): Stop | undefined {
    const word = /^(?:true|false|null)/.exec(this.#ahead(5))?.[0];
    if (word !== undefined) {
      this.#at += word.length;
      return undefined;
    }
    let end = this.#at;
    while (NUMBER_BYTES.has(this.#bytes[end] ?? 0)) end++;
    const number = NUMBER.exec(this.#ahead(end - this.#at))?.[0] ?? '';
    if (number === '') return this.#stop('expected a value');
    this.#at += number.length;
    return undefined;
  }

  #skipSpace(): void {
    while (SPACE.has(this.#bytes[this.#at] ?? 0)) this.#at++;
  }

  #ahead(length: number): string {
    return Buffer.from(this.#bytes.subarray(this.#at, this.#at + length)).toString('latin1');
  }

  #stop(reason: string): Stop {
    return { offset: this.#at, reason };
  }
}
