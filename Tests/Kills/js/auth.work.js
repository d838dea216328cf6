// Fails to authenticate, again and again.
const [, first] = [nbridge.args[0], Number(nbridge.args[1])];
const { auth } = nbridge;
for (let n = first; ; n++) {
  const error = await auth.evaluatePolicy({ policy: "biometrics", reason: "Try" }).catch((error) => error);
  if (error.code !== "authentication_failed" && error.code !== "biometry_lockout") {
    console.log(`${error.code} ${error.message}`);
    break;
  }
  console.log(n);
}
