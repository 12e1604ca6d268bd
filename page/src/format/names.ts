/** A kernel's name without return type and parameters: "reduce<4>" for "void reduce<4>(int const*, int)". */
export function shortName(name: string): string {
  const unnamed = '(anonymous namespace)';
  let depth = 0;
  let begin = 0;
  for (let i = 0; i < name.length; ++i) {
    if (name[i] === '<') ++depth;
    if (name[i] === '>') --depth;
    if (depth !== 0) continue;
    if (name.startsWith(unnamed, i)) {
      i += unnamed.length - 1;
      continue;
    }
    if (name[i] === ' ') begin = i + 1;
    if (name[i] === '(' && i > begin) return name.slice(begin, i);
  }
  return name;
}

/** "transpose.cu" of "/home/me/transpose.cu" */
export const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1) || path;
