#!/usr/bin/env node
'use strict';
import thing, { other as renamed } from 'thing';

/** Documentation. */
export default function main(a, b = () => 1) {
  const local = 1;
  function inner() {}
  const arrow = () => { const deeper = 1; };
  class Local { method() {} }
}

export const arrow = async (x) => {
  return x;
};
const concise = x => x + 1, second = function named() {}, third = 3;
let uninitialised;
var old = "function notThis() {}";
export const table = {
  key: 1,
  handler() {},
  'quoted-key': function () {},
  arrow: (e) => { e.go(); },
  async *generator() {},
  get prop() { return 1; },
};

function* generator() {}
async function waits() {}

class Shape extends Base {
  static count = 0;
  #secret = 1;
  onClick = (event) => { event.stop(); };
  constructor() { super(); }
  get area() { return 1; }
  set area(value) {}
  static create() {}
  async *walk() {}
  #hidden() {}
  ['computed']() {}
  static { this.ready = true; }
}

export default class Named {}
const Expression = class { run() {} };
const made = new (class { anonymous() {} })();

exports.exported = function () {};
module.exports.deep = () => {};
Shape.prototype.added = function (a) {};
window.onload = function () { function hidden() {} };

if (old) {
  function inBlock() {}
}
(function () {
  function inIife() {}
})();
