/** Loads a bundle's `index.js` and tells whether V8 took the code that was compiled in advance, and what was exported. */
const vm = require('node:vm');

let rejected;
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    rejected = this.cachedDataRejected;
  }
};
const { handler } = require(process.argv[2]);
process.stdout.write(JSON.stringify({ rejected, handler: typeof handler }));
