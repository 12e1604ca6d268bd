export function ComparePage(_: any) { return null; }
