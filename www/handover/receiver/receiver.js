// Takes what the sender hands over: reads the pasteboard that the URL names, and clears it.
const { app, documents, pasteboard } = nbridge;

await app.onOpenURL(async ({ url, source, annotation }) => {
  const { host, searchParams } = new URL(url);
  const name = searchParams.get("pasteboard");
  if (host !== "paste" || !name?.startsWith("nbridge-sample.")) return false;
  const text = await pasteboard.string({ name });
  if (text === null) return false;
  await pasteboard.clear({ name });
  console.log(`${source.name} sent ${annotation?.words} words: ${text}`);
  await documents.append("letters.txt", `${text}\n`);
});
