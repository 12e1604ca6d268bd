// The build reads these as base64.
declare module '*.gz' {
  const base64: string;
  export default base64;
}
