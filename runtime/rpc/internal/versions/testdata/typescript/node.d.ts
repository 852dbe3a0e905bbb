declare module "node:fs" {
  function readFileSync(name: string, encoding: string): string;
}
declare module "node:process" {
  const argv: string[];
}
