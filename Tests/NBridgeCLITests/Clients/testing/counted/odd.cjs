#!/usr/bin/env nbridge
// Sloppy text, which a directive at its top would make strict.
"not strict"
say("a directive goes on")
function say(...values) { console.log(...values) }
function sloppy() { return this === globalThis }
function strict() { 'use strict'; return this === undefined }
function semicolon() { 'use strict'
  return this === undefined }
function only() { 'use strict' }
say(sloppy(), strict(), semicolon(), only())
if (sloppy()) function inBody() { return 'hoisted' }
say(inBody())
var yield_ = 1, let_ = 2, async = 4
say(let_ ? yield_ : async, async && 1, eval('var made = 1 && 2; made'), made)
label: if (made) { say('label'); break label }
function twice(a, a) { return arguments.length == 2 && a }
say(twice(1, 2), (() => { return typeof arguments[0] })())
if (made) var later = 1
else var never = 2
say(later, never)
module.exports = { load: () => import('./odd.mjs').then((module) => say(Object.keys(module).length || 0)) }
if (made) return
say('not reached')
