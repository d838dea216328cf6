# SPDX-License-Identifier: MIT
"""Tests of the benchmarks' own statistics and table: `python3 -B -m unittest`, in this folder."""
import contextlib, io, os, re, string, tempfile, unittest, unittest.mock
import against, busy, drawing, figures, measuring, place, processes, report, rows, scale
from runs import ALL, RUNS, Run


class StatisticsTests(unittest.TestCase):
    def test_a_ratio_is_the_median_of_each_rounds_own(self):
        # The machine was three times slower in the second round: the ratio does not see it.
        comparison = figures.Comparison([10, 30, 10], [5, 15, 5])
        self.assertEqual((comparison.ratio, comparison.ours, comparison.other), (2, 10, 5))
        self.assertEqual(comparison.spread, (2, 2))

    def test_a_round_that_one_side_failed_is_left_out(self):
        self.assertEqual(figures.Comparison([10, None, 30], [5, 1, 10]).ratios, [2, 3])
        with self.assertRaises(ValueError):
            figures.Comparison([None], [1])

    def test_the_spread_is_the_middle_half(self):
        self.assertEqual(figures.spread([9, 1, 2, 3, 4]), (2, 4))
        self.assertEqual(figures.spread([7]), (7, 7))

    def test_worse_is_five_percent_beyond_noise(self):
        verdict = lambda ours, rises=False: figures.Comparison(ours, [100] * 5).verdict(rises)
        self.assertEqual(verdict([104] * 5), "")
        self.assertEqual(verdict([105, 105, 106, 107, 104]), "worse")
        self.assertEqual(verdict([95, 96, 110, 112, 120]), "unsure")
        self.assertEqual(verdict([101, 110, 110, 110, 110]), "unsure")
        self.assertEqual(verdict([90] * 5, True), "worse")
        self.assertEqual(verdict([120] * 5, True), "")

    def test_where_a_median_lies_is_told_by_the_order_of_values(self):
        self.assertIsNone(figures.interval([1, 2, 3, 4]))
        # Nine of ten hold for all of five (15/16), not for the middle three of them (5/8).
        self.assertEqual(figures.interval([5, 1, 2, 4, 3]), (1, 5))
        self.assertEqual(figures.interval([9, *range(10)]), (2, 8))

    def test_a_ratio_is_sure_when_its_median_lies_within_a_twentieth(self):
        sure = lambda ours: figures.Comparison(ours, [100] * len(ours)).is_sure()
        self.assertTrue(sure([100, 96, 104, 101, 99]))
        self.assertFalse(sure([100, 94, 104, 101, 99]))
        self.assertFalse(sure([100, 100, 100]))
        # One round that something else hit leaves the others' order.
        self.assertTrue(sure([100, 96, 104, 101, 99, 100, 100, 300]))

    def test_ratios_of_two_runs_agree_within_a_tenth(self):
        differing = [busy.Ratios("x", 1.0, 1.0 + by, (1, 1)) for by in (0.09, -0.1, 0.11)]
        self.assertEqual(busy.agree(differing), "2 of 3")
        self.assertEqual((busy.told(0.09), busy.told(-0.2)), ("+9%", "**-20%**"))

    def test_a_row_takes_one_processor_where_both_sides_do(self):
        alone = lambda *used: busy.Ratios("x", 1, 1, used).is_alone()
        self.assertTrue(alone(1.0, 1.2))
        self.assertFalse(alone(1.0, 1.9) or alone(None, 1.0))

    def test_processors_are_what_a_command_takes_of_its_time(self):
        measured = measuring.Measured()
        measured.rounds = {"a": [{"cpu": 20, "wall": 10}, None, {"cpu": 9, "wall": 10}, {"cpu": 12, "wall": 10}]}
        self.assertEqual((report.processors(measured, "a"), report.processors(measured, "b")), ("1.2", ""))

    def test_processors_are_read_from_the_page_as_it_writes_them(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            with open("RESULTS.md", "w") as file:
                file.write(f"{report.HOW_HEAD}\n| page-idle | `a`: b | `c` | 5 | 1.1 |  |\n| url | `a`: b | `c` | 5 | 1.0 | 1.2 |\n")
            self.assertEqual(busy.processors(), {"page-idle": (1.1, None), "url": (1.0, 1.2)})

    def test_known_ratios_are_those_of_the_page(self):
        os.chdir(place.HERE)
        known = busy.known()
        self.assertGreater(known["immediate, sequential"], 0)
        self.assertNotIn("keystroke", known)
        self.assertTrue(all(ratio > 0 for ratio in known.values()))

    def test_goals(self):
        comparison = figures.Comparison([150], [100])
        met = lambda goal: goal.is_met(150, comparison)
        self.assertTrue(met(figures.ratio(1.5)) and met(figures.most(150)) and met(figures.least(150)))
        self.assertTrue(met(figures.added(50)) and met(figures.ratio(0.8, higher=True)))
        self.assertFalse(met(figures.ratio(1.4)) or met(figures.most(149)) or met(figures.added(49)))
        self.assertIsNone(figures.ratio(1).is_met(150, None))
        self.assertEqual(figures.added(1000).text("ns"), "≤ +1,000 ns")

    def test_output_of_several_lines_of_a_key_is_its_median_and_most(self):
        self.assertEqual(figures.read("noise\nkey\t3\nkey\t9\na\tb\nkey\t4\n"), {"key": 4, "key, most": 9})
        self.assertEqual(figures.read_columns("1 2\n", ["each", "mean"]), {"each": 1, "mean": 2})
        with self.assertRaises(ValueError):
            figures.read_columns("1\n", ["each", "mean"])


class ScaleTests(unittest.TestCase):
    def test_the_exponent_is_of_the_largest_sizes(self):
        for power in (0.5, 1, 2):
            points = [(1, 90), *((size, 3 * size ** power) for size in (10, 100, 1000))]
            self.assertAlmostEqual(scale.exponent(points), power)

    def test_a_scale_that_grows_too_fast_is_marked(self):
        for power, end in ((1, "exponent 1.00"), (1.2, "exponent 1.20  more than 1.1")):
            with contextlib.redirect_stdout(io.StringIO()) as shown:
                scale.table("list", [(size, size ** power) for size in (10, 100, 1000)])
            self.assertEqual(shown.getvalue().splitlines()[0], f"files of a folder, listed: {end}")


class TableTests(unittest.TestCase):
    def test_names_are_of_one_row_each(self):
        names = [row.name for row in rows.ROWS]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(len(RUNS), len(ALL))

    def test_rows_and_runs_know_each_other(self):
        used = {source[0] for row in rows.ROWS for source in row.sources()}
        self.assertEqual(used ^ RUNS.keys(), set())
        self.assertEqual([row.name for row in rows.ROWS if not RUNS[row.ours[0]].is_ours()], [])

    def test_commands_name_what_a_place_has(self):
        known = {"work", "here", *place.MAKERS, *place.FLOORS}
        for run in ALL:
            if not callable(run.command):
                named = {name for _, name, _, _ in string.Formatter().parse(run.command) if name}
                self.assertEqual(named - known, set(), run.name)

    def test_a_command_is_told_as_a_reader_may_type_it(self):
        self.assertEqual(RUNS["start.many"].told(), "NBRIDGE_PLUGINS=many nbridge run empty.js")
        self.assertEqual(RUNS["calls.watch"].told(), "nbridge-benchmark only/watch.js measure.js nbridge.js")

    def test_files_that_commands_name_are_there(self):
        for run in ALL:
            for word in [] if callable(run.command) else run.command.split():
                if re.fullmatch(r"[a-z/]+\.(js|mjs|py)", word):
                    self.assertTrue(os.path.exists(os.path.join(place.HERE, word)), word)

    def test_rows_are_chosen_by_name_group_and_glob(self):
        names = lambda text: [row.name for row in rows.choose(text)]
        self.assertEqual(names("url, lines"), ["lines", "url"])
        self.assertEqual(names("memory-*"), ["memory-start", "memory-calls", "memory-stream"])
        self.assertIn("typescript-first", names("start"))
        self.assertEqual(names(""), [row.name for row in rows.ROWS])

    def test_an_unknown_row_is_told_with_the_nearest(self):
        with self.assertRaisesRegex(rows.Unknown, "no row 'memry'; did you mean 'memory'"):
            rows.choose("start,memry")

    def test_what_is_compared_is_measured_in_one_group(self):
        groups = measuring.groups(rows.choose("immediate,async,start-empty,many-plugins"))
        names = sorted(sorted(run.name for run in group) for group in groups)
        self.assertEqual(names, [
            ["calls.async", "calls.immediate", "floor.promise", "node.immediate"],
            ["start", "start.deno", "start.floor", "start.gjs", "start.many", "start.node"]])


class RoundTests(unittest.TestCase):
    def measure(self, rounds, **commands):
        """Names and functions that note their turn."""
        subjects = {name: (FakeRun(name, command), {}) for name, command in commands.items()}
        return measuring.in_turn(subjects, rounds)

    def test_every_other_round_is_turned_about(self):
        turns = []
        note = lambda name: lambda _: turns.append(name) or {"each": len(turns)}
        measured = self.measure(3, a=note("a"), b=note("b"))
        self.assertEqual("".join(turns), "abbaab")
        self.assertEqual(measured.values("a", "each"), [1, 4, 5])

    def test_what_is_doubted_has_further_rounds_beside_what_it_is_compared_with(self):
        doubts = [["b"], ["b"], []]
        subjects = {name: (FakeRun(name, lambda _: {"each": 1}), {}) for name in "ab"}
        measured = measuring.in_turn(subjects, 1, lambda _: doubts.pop(0), patience=60)
        self.assertEqual(measured.values("a", "each"), [1, None, None])
        self.assertEqual(measured.values("b", "each"), [1, 1, 1])

    def test_further_rounds_end_with_the_patience(self):
        subjects = {"a": (FakeRun("a", lambda _: {"each": 1}), {})}
        self.assertEqual(measuring.in_turn(subjects, 2, lambda _: ["a"], patience=0).values("a", "each"), [1, 1])

    def test_settings_are_whole_numbers(self):
        with unittest.mock.patch.dict(os.environ, {"PATIENCE": "30", "ROUNDS": "0"}):
            self.assertEqual(measuring.setting("PATIENCE", "seconds"), 30)
            self.assertIsNone(measuring.setting("NONE", "rounds"))
            with self.assertRaisesRegex(SystemExit, "ROUNDS is a number of rounds from 1, not '0'"):
                measuring.count([])

    def test_rows_are_doubted_until_their_ratio_is_sure(self):
        measured = measuring.Measured()
        row = next(row for row in rows.ROWS if row.name == "start-empty")
        measured.rounds = {"start": [{"wall": 20 + n} for n in range(9)], "start.floor": [{"wall": 10}] * 9}
        self.assertEqual(measuring.doubts([row])(measured), {"start", "start.floor"})
        measured.rounds["start"] = [{"wall": 20}] * 9
        self.assertEqual(measuring.doubts([row])(measured), set())

    def test_a_side_that_fails_is_named_and_the_other_is_measured(self):
        def fail(_):
            raise processes.Failure("no such action")
        measured = self.measure(2, a=fail, b=lambda _: {"each": 1})
        self.assertEqual(measured.reason("a", "each"), "no such action")
        self.assertEqual(measured.values("b", "each"), [1, 1])
        self.assertFalse(measured.has("a", "each"))

    def test_a_process_is_measured_by_what_it_took(self):
        ended = processes.run(["sh", "-c", "echo 'key\t5'; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"])
        self.assertEqual(ended.out, "key\t5\n")
        self.assertTrue(0 < ended.cpu <= ended.wall * 1.5 and ended.rss > 0)
        with self.assertRaisesRegex(processes.Failure, "ended with 3: TypeError: it"):
            processes.run(["sh", "-c", "echo 'TypeError: it' >&2; echo more >&2; exit 3"])


class FakeRun(Run):
    def get_ready(self, place):
        pass


class OutputTests(unittest.TestCase):
    def setUp(self):
        self.measured = measuring.Measured()
        self.measured.rounds = {(side, "start"): [{"wall": wall, "cpu": 1}] * 5
                                for side, wall in (("this", 20), ("other", 10))}

    def show(self, colours):
        row = next(row for row in rows.ROWS if row.name == "start-empty")
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):
            against.show([against.HEAD, *against.lines_of(RUNS["start"], [row], self.measured)], colours)
        return shown.getvalue().splitlines()

    def test_a_worse_row_is_red_on_a_terminal_and_marked_elsewhere(self):
        _, plain, processor = self.show(False)
        self.assertRegex(plain, r"^cold start.* 20.0 ms +10.0 ms +2.000 +2.000 to 2.000 +2.000 +worse$")
        self.assertRegex(processor, "^processor time of the whole command .* 1.000 to 1.000 +1.000$")
        self.assertEqual(self.show(True)[1], f"\x1b[31m{plain}\x1b[0m")

    def test_a_row_that_the_other_revision_cant_run_is_named(self):
        self.measured.rounds[("other", "start")] = []
        self.measured.reasons[("other", "start")] = "no such option"
        self.assertRegex(self.show(False)[1], "^cold start.* other can't run it: no such option$")

    def test_the_drawing_leaves_out_what_was_not_measured(self):
        self.measured.rounds = {"start": [{"wall": 20}], "start.node": [{"wall": 80}]}
        drawn = drawing.draw(self.measured)
        self.assertIn(">20.0 ms nBridge<", drawn)
        self.assertEqual(drawn.count("<rect"), 2)


if __name__ == "__main__":
    unittest.main()
