// What is no status of a process is refused, and does not pass for 0.
import process from "node:process";
for (const code of ["abc", 1.5, true, {}, "1.5", "", NaN]) {
  for (const set of [(code) => { process.exitCode = code; }, process.exit]) {
    try { set(code); console.log("taken"); } catch (error) { console.log(error.name, error.code, error.message); }
  }
}
process.exitCode = "3"; console.log(process.exitCode, Object.keys(process).includes("exitCode")); process.exitCode = null; process.exitCode = undefined;
process.exit("0");
