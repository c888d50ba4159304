/**
 * A function's `index.js`: runs `function.js` beside it with what V8 compiled of it in advance, so that a cold start need
 * not compile it. That helps only the very Node for which it was compiled, so its file is named for it: any other finds
 * no such file, and one that was started with other flags has it rejected by V8; both compile for themselves.
 */
const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { Script } = require('node:vm');

const filename = join(__dirname, 'function.js');
const cache = join(__dirname, `${process.version}-${process.platform}-${process.arch}.cache`);

const script = new Script(readFileSync(filename, 'utf8'), {
  filename,
  ...(existsSync(cache) ? { cachedData: readFileSync(cache) } : {}),
});
script.runInThisContext()(exports, require, module, filename, __dirname);
