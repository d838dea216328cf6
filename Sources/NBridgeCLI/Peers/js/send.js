const session = await make();
const peer = await find(session, option.to, seconds(option.time ?? 5));
try {
  await session.invite(peer, { timeout: seconds(option.time ?? 30) });
  if (option.file !== undefined) {
    const name = option.file.slice(option.file.lastIndexOf("/") + 1);
    let told = 0;
    const progress = ({ done, total }) => {
      const percent = Math.floor(10 * done / Math.max(1, total)) * 10;
      if (option.terminal && percent > told) console.error(`${told = percent} % of ${name}`);
    };
    const { size, hash } = await session.sendResource(option.file, { to: peer, name, directory: "bundle", progress });
    line("sent", name, `${size} bytes`, hash);
  } else {
    await session.send(option.text, { to: peer });
    if (!await session.drain(seconds(option.time ?? 30))) fail(`'${peer.name}' has not got it in time`);
    line("sent", `'${peer.name}' has it`);
    if (option.wait) for await (const { from, data } of session.messages()) { line("message", from.name, data); break; }
  }
} catch (error) { fail(error.message); }
await session.close();
exit(0);
