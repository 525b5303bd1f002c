/** The simple commands of a shell line, each as its words. No full shell grammar: enough to find a command in a text. */
export function splitShellWords(text: string): string[][] {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | undefined;
  /** The target of a redirection is not a word of the command. */
  let isTarget = false;
  const endWord = () => {
    if (word !== undefined && !isTarget) words.push(word);
    if (word !== undefined) isTarget = false;
    word = undefined;
  };
  const endCommand = () => {
    endWord();
    isTarget = false;
    if (words.length > 0) commands.push(words);
    words = [];
  };
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === "'") {
      const end = endOfQuote(text, at, "'");
      word = (word ?? '') + text.slice(at + 1, end);
      at = end;
    } else if (char === '"') {
      const end = endOfQuote(text, at, '"');
      word = (word ?? '') + text.slice(at + 1, end).replace(/\\(["\\$`])/g, '$1');
      at = end;
    } else if (char === '\\') {
      at++;
      // Before a line end it continues the line.
      if (text[at] !== '\n') word = (word ?? '') + (text[at] ?? '');
    } else if (char === '>' || char === '<') {
      if (/^\d+$/.test(word ?? '')) word = undefined;
      endWord();
      while (/[<>&|]/.test(text[at + 1] ?? '')) at++;
      isTarget = true;
    } else if (/[;&|()`\n]/.test(char)) endCommand();
    else if (/\s/.test(char)) endWord();
    else if (char === '#' && word === undefined) at = endOfComment(text, at) - 1;
    else word = (word ?? '') + char;
  }
  endCommand();
  return commands;
}

function endOfQuote(text: string, from: number, quote: string): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === quote) return at;
    if (quote === '"' && text[at] === '\\') at++;
  }
  return text.length;
}

function endOfComment(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}
