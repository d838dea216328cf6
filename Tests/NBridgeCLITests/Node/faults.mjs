// Uncaught errors and rejections come to process.on, and the program goes on.
import process from 'node:process';
process.on('uncaughtException', (error, origin) => console.log('uncaught', error?.message ?? error, origin));
setTimeout(() => { throw new Error('in a timer'); }, 1);
setTimeout(() => { Promise.reject(new Error('rejected')); Promise.reject(5); }, 5);
setTimeout(() => { process.on('unhandledRejection', (reason, promise) => console.log('rejection', reason, promise instanceof Promise)); Promise.reject(6); }, 20);
setTimeout(() => { console.log('going on'); queueMicrotask(() => { throw 'text'; }); }, 40);
setTimeout(() => { console.log('end'); }, 60);
