module.parent = null; exports.n = 4
