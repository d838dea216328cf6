// nbridge run --plugin . demo.js [FILE.ppm]
// Blurs a picture of 16 MiB, gives a second try up, and makes a thumbnail. Times go to stderr.
import { readFile } from "node:fs/promises";
import process from "node:process";

const { image } = nbridge;

function gradient(width, height) {
  const pixels = new Uint8Array(width * height * 4);
  for (let i = 0; i < width * height; i++) pixels.set([i % width, i / width, i * 7, 255], i * 4);
  return { width, height, pixels };
}

async function timed(name, promise) {
  const began = performance.now(), answer = await promise;
  console.error(name, Math.round(performance.now() - began), "ms");
  return answer;
}

const [file] = process.argv.slice(2);
const picture = file ? await image.decode(await readFile(file)) : gradient(2048, 2048);

let steps = 0, last = 0;
const progress = (share) => { steps++; last = share; };
const blurred = await timed("blur", image.blur(picture, { radius: 20 }, { progress }));
console.log("blurred", blurred.pixels.length, steps > 0, last <= 1);

const stop = new AbortController();
const late = image.blur(picture, { radius: 50 }, { signal: stop.signal, progress: () => stop.abort() });
console.log("given up", await timed("cancel", late.catch((error) => error.code)));

const small = await timed("thumbnail", image.thumbnail(blurred, 128));
const bytes = await timed("encode", image.encode(small));
console.log("thumbnail", small.width, small.height, new TextDecoder().decode(bytes.slice(0, 14)).split("\n"));
const same = await image.decode(bytes);
console.log("read again", same.pixels.every((byte, i) => byte === small.pixels[i]));
