// node:url: the older parser, and paths as URLs.
import url from "node:url";

const attempt = (action) => { try { return JSON.stringify(action()); } catch (error) { return error.code ??
  error.message; } };
const texts = ["", "/", "a", "/a/b?c=d#e", "//host/path", "http://a.com",
  "HTTP://USER:pass@Host.COM:8080/p/a?q=s#h", "mailto:a@b.c",
  "javascript:alert('x y')", "file:///etc/x", "http://[::1]:80/x", "http://a.com/a b?c d#e f",
    "http://a.com\\x\\y", "?a=b", "#h", "./a/../b",
  "ws://h", "git+ssh://git@github.com:user/x.git", "http://h/<>\"`{}"];
for (const text of texts) {
  console.log(text, attempt(() => url.parse(text)), attempt(() => url.parse(text, true, true).query),
    attempt(() => url.fileURLToPath(text)),
    attempt(() => url.resolve("http://h/a/b/c?q#f", text)));
}
for (const text of ["..", "../../x", "./", ".", "?x", "#y", "", "//other/z", "/../g", "g?y/./x"]) {
  console.log(text, url.resolve("http://a/b/c/d;p?q", text));
}
for (const parts of [{}, { protocol: "http", host: "h", pathname: "p" },
  { hostname: "h", port: 80, protocol: "https:" }, null,
  { pathname: "/a", query: { b: 1 } }, { search: "x", hash: "y" }, { slashes: true, host: "h" }]) console.log(
    attempt(() => url.format(parts)));
for (const path of ["/a b", "/x/\uc548", "/a%b?c#d", "/x/", "/"]) console.log(url.pathToFileURL(path).href,
  url.fileURLToPath(url.pathToFileURL(path)));
console.log(url.format(new URL("http://u:p@h/x?y#z"), { auth: false, fragment: false }),
  url.urlToHttpOptions(new URL("http://u:p@h:1/x?y")).auth);
