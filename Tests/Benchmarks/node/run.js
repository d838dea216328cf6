// Node with an N-API add-on that does the same.
const addon = require(process.argv[2]);
require(process.argv[3]);
measure({
  clock: () => performance.now(), say: console.log,
  subject: {
    "immediate": { run: () => addon.answer(), count: 100000, flights: 10 },
    "detached": { run: () => addon.detached(), count: 10000, flights: 4 },
    "4 fields": { run: () => addon.point(fourFields), count: 50000, flights: 5 },
  },
});
