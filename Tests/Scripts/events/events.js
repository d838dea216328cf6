// EventTarget and AbortController, to the standard.
const target = new EventTarget();
const seen = [];
const listener = (event) => seen.push(event.type, event.target === target, event.eventPhase);
target.addEventListener('a', listener); target.addEventListener('a', listener);
target.addEventListener('a', () => seen.push('once'), { once: true });
target.addEventListener('a', { handleEvent(event) { seen.push(this !== globalThis, event.isTrusted); } });
console.log(target.dispatchEvent(new Event('a')), seen.splice(0));
console.log(target.dispatchEvent(new Event('a')), seen.splice(0));
target.removeEventListener('a', listener);
target.addEventListener('b', (event) => event.preventDefault());
console.log(target.dispatchEvent(new Event('b')), target.dispatchEvent(new Event('b', { cancelable: true })));
target.addEventListener('c', (event) => { event.stopImmediatePropagation(); seen.push(1); });
target.addEventListener('c', () => seen.push(2));
target.dispatchEvent(new CustomEvent('c', { detail: 5 }));
console.log(seen, new CustomEvent('c', { detail: 5 }).detail);
try { target.dispatchEvent({}); } catch (error) { console.log(error.name); }
const controller = new AbortController();
controller.signal.addEventListener('abort', () => console.log('aborted', controller.signal.reason.name));
const any = AbortSignal.any([controller.signal, new AbortController().signal]);
controller.abort(); controller.abort();
console.log(any.aborted, any.reason === controller.signal.reason, controller.signal.reason.code);
try { controller.signal.throwIfAborted(); } catch (error) { console.log(error instanceof DOMException, error.message); }
console.log(AbortSignal.abort(3).reason, String(new DOMException('m', 'AbortError')), DOMException.ABORT_ERR);
try { new AbortSignal(); } catch (error) { console.log(error.message); }
console.log(Object.prototype.toString.call(controller), Object.prototype.toString.call(new Event('x')), Event.AT_TARGET);
const gone = new AbortController();
target.addEventListener('d', () => console.log('never'), { signal: gone.signal });
gone.abort();
target.dispatchEvent(new Event('d'));
