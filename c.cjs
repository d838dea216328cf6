module.children = { push(){ console.log("x") } }; exports.n = require("./d.cjs").n; exports.kids = 1
