// Reads the errors of a server, and those that its release stored, and prints what it gets.
import { readFileSync } from "node:fs";
import { argv } from "node:process";
import { parseError } from "./errors.js";

const [url, directory, failures] = argv.slice(2) as [string, string, string];

function print(failure: string, transport: string, text: string, status?: number): void {
  const error = parseError(text, status);
  console.log(JSON.stringify({
    Failure: failure, Transport: transport, Code: error.code ?? "", Sent: error.sentCode ?? "",
    Category: error.category ?? "", Retryable: error.retryable, HTTP: error.problem?.status ?? 0,
  }));
}

for (const failure of failures.split(",")) {
  const response = await fetch(url + failure);
  print(failure, "http", await response.text(), response.status);
  print(failure, "json", readFileSync(`${directory}/${failure}.json`, "utf8"));
}
