// Compile the TypeScript projects in the directories that stdin names, one a line, as `tsc -p .` does in each.
// Prints the errors of each as a line of JSON. One process reads the library's declarations once for all.
const fs = require("node:fs");
const path = require("node:path");
const ts = require(process.argv[2]);

const libraries = new Map();
const host = (options) => {
  const made = ts.createCompilerHost(options);
  const read = made.getSourceFile;
  made.getSourceFile = (name, ...rest) => {
    if (!path.basename(name).startsWith("lib.")) return read(name, ...rest);
    if (!libraries.has(name)) libraries.set(name, read(name, ...rest));
    return libraries.get(name);
  };
  return made;
};

for (const directory of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const config = ts.getParsedCommandLineOfConfigFile(path.join(directory, "tsconfig.json"), {}, { ...ts.sys, onUnRecoverableConfigFileDiagnostic: console.error });
  const program = ts.createProgram(config.fileNames, config.options, host(config.options));
  const found = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics];
  const errors = found.map((each) => {
    const line = each.file ? each.file.getLineAndCharacterOfPosition(each.start).line + 1 : 0;
    const name = each.file ? path.relative(directory, each.file.fileName) : "tsconfig.json";
    return `${name}:${line}: error TS${each.code}: ${ts.flattenDiagnosticMessageText(each.messageText, " ")}`;
  });
  console.log(JSON.stringify(errors));
}
