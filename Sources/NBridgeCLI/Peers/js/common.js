// What the commands `nbridge peers ...` share. The command line gives its options as JSON.
const option = JSON.parse(nbridge.args[0]);
const make = (more) => nbridge.peers.create({ displayName: option.name, serviceType: option.type, ...more }).catch((error) => fail(error.message));
const seconds = (time) => Math.round(time * 1000);
const fail = (message) => { console.error(`nbridge: ${message}`); exit(1); };
const shown = (info) => Object.entries(info).map(([key, value]) => `${key}=${value}`).join(" ");
const line = (...parts) => console.log(parts.filter((part) => part !== "").join("  "));

/** The first peer that is found and has the name or id, or any when none is asked for. */
const find = async (session, wanted, limit) => {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), limit);
  try {
    for await (const { kind, peer } of session.browse(undefined, { signal: stop.signal })) {
      if (kind !== "lost" && (wanted === undefined || peer.name === wanted || peer.id === wanted)) return peer;
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally { clearTimeout(timer); }
  return fail(wanted === undefined ? `nobody is announced as '${option.type}'; on the other side: nbridge peers advertise ${option.type}`
    : `'${wanted}' was not found within ${limit / 1000} s; 'nbridge peers browse ${option.type}' shows who is there`);
};
