export function SourcePage(_: any) { return null; }
