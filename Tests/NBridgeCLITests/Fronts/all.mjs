// Runs the scripts of this folder one after the other; the terminal shows what they print.
for (const name of ["values", "errors", "calls"]) {
  await import(`./${name}.mjs`).catch((error) => console.log(`${name} failed: ${error.stack}`));
}
document.getElementById("state").textContent = "over";
