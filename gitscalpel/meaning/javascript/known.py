"""Names that the language, or what runs it, defines (ECMA-262, DOM, Node): no file has what they have."""

from __future__ import annotations

_NAMES = """
AbortController AggregateError Array ArrayBuffer Atomics BigInt Boolean Buffer DataView Date Error
EvalError Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array Intl Iterator
JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set
SharedArrayBuffer String Symbol SyntaxError TypeError URIError URL URLSearchParams Uint16Array
Uint32Array Uint8Array WeakMap WeakRef WeakSet alert arguments atob btoa clearInterval clearTimeout
console decodeURI decodeURIComponent document encodeURI encodeURIComponent escape eval fetch history
isFinite isNaN localStorage location navigator parseFloat parseInt performance process
queueMicrotask require sessionStorage setImmediate setInterval setTimeout structuredClone undefined
unescape __dirname __filename ArrayLike Awaited AsyncIterable Capitalize ConstructorParameters
Element Event Exclude Extract HTMLElement InstanceType Iterable Lowercase Node NonNullable Omit
Parameters Partial Pick PromiseLike Readonly ReadonlyArray ReadonlyMap ReadonlySet Record Required
ReturnType Uncapitalize Uppercase
"""
GLOBALS = frozenset(_NAMES.split())
