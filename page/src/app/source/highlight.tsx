// Words of source lines in colours: keywords, comments, texts, numbers. No more than a reader's eye needs.

export type Token = [kind: '' | 'keyword' | 'comment' | 'string' | 'number' | 'cuda', text: string];

const keywords = new Set(('alignas auto bool break case char class const constexpr continue default do double else enum extern false float for goto if inline int long ' +
  'namespace new nullptr operator private public return short signed sizeof static struct switch template this true typedef typename union unsigned using void volatile while').split(' '));
const cuda = /^(__\w+__|__\w+|threadIdx|blockIdx|blockDim|gridDim|warpSize)$/;
const pattern = /(\/\/.*$)|(\/\*)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(\b\d[\w.']*\b)|([A-Za-z_]\w*)|([^A-Za-z_0-9"'/]+|.)/g;

/** Tokens of each line; a comment may go over lines. */
export function highlight(lines: string[]): Token[][] {
  let inside = false;
  return lines.map((line) => {
    const tokens: Token[] = [];
    const add = (kind: Token[0], text: string) => {
      const last = tokens.at(-1);
      if (last && last[0] === kind) last[1] += text;
      else if (text) tokens.push([kind, text]);
    };
    let at = 0;
    while (at < line.length) {
      if (inside) {
        const end = line.indexOf('*/', at);
        add('comment', line.slice(at, end < 0 ? line.length : end + 2));
        inside = end < 0;
        at = end < 0 ? line.length : end + 2;
        continue;
      }
      pattern.lastIndex = at;
      const match = pattern.exec(line);
      if (!match) break;
      const [text, comment, open, string, number, word] = match;
      at = pattern.lastIndex;
      if (comment) add('comment', comment);
      else if (open) {
        inside = true;
        add('comment', open);
      } else if (string) add('string', string);
      else if (number) add('number', number);
      else if (word) add(keywords.has(word) ? 'keyword' : cuda.test(word) ? 'cuda' : '', word);
      else add('', text);
    }
    return tokens;
  });
}

export function Code({ tokens }: { tokens: Token[] }) {
  return <>{tokens.map(([kind, text]) => (kind ? <span class={`code-${kind}`}>{text}</span> : text))}</>;
}
