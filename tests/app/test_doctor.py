"""wavetrain doctor: what it finds in real launches."""

import glob
import json
import os
import subprocess
import unittest

import support


class Doctor(support.AppTest):
    def examine(self, code, *arguments, output=None, **options):
        """doctor's findings by subject; it must end with this code."""
        output = output or self.folder
        done = support.run("doctor", "--json", "--folder", output, *arguments, **options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual(result["good"], code == 0)
        for finding in result["findings"]:
            self.assertEqual("remedy" in finding, finding["verdict"] != "good", finding)
        self.facts = result["facts"]
        return {finding["subject"]: finding for finding in result["findings"]}

    def test_alone(self):
        found = self.examine(0, "--threads", 1)
        self.assertIn("none", found["launcher"]["text"])
        self.assertEqual(found["locking"]["verdict"], "good")
        self.assertEqual(os.listdir(self.folder), [])

    def test_several_ranks(self):
        found = self.examine(0, "--threads", 1, ranks=2, OMPI_MCA_mpi_yield_when_idle="1")
        self.assertEqual(found["launcher"]["text"], "mpirun")
        self.assertIn("OMPI_COMM_WORLD_SIZE", found["ranks"]["text"])
        self.assertIn("Open MPI", found["mpi"]["text"])
        self.assertEqual([rank["rank"] for rank in self.facts["ranks"]], [0, 1])
        cpus = sorted(os.sched_getaffinity(0))
        self.assertEqual(self.facts["ranks"][1]["cpus"], cpus)

    def test_text_has_the_command_that_mends(self):
        done = self.refuse(5, "doctor", "--expect-ranks", 3, ranks=2, says="1 finding is wrong")
        self.assertIn("wrong  ranks: 2 ranks, but --expect-ranks says 3", done.stdout)
        self.assertIn("       mend it: mpirun -n 3 wavetrain", done.stdout)

    def test_world_is_not_as_promised(self):
        found = self.examine(5, SLURM_NTASKS="4", SLURM_STEP_ID="0", SLURM_MPI_TYPE="pmi2")
        self.assertEqual(found["ranks"]["verdict"], "wrong")
        self.assertIn("srun --mpi=pmix -K1 -n 4", found["ranks"]["remedy"])
        self.assertEqual(found["launcher"]["verdict"], "wrong")
        found = self.examine(5, "--expect-ranks", 3, "--expect-hosts", 2, ranks=2)
        self.assertIn("mpirun -n 3", found["ranks"]["remedy"])
        self.assertEqual(found["hosts"]["verdict"], "wrong")

    def test_more_ranks_than_cpus_that_spin(self):
        ranks = len(os.sched_getaffinity(0)) + 1
        found = self.examine(
            5,
            "--threads",
            1,
            ranks=ranks,
            OMPI_MCA_mpi_yield_when_idle="0",
            OMPI_MCA_rmaps_base_oversubscribe="0",
            OMPI_MCA_orte_set_default_slots=str(ranks),
        )
        self.assertEqual(found["oversubscription"]["verdict"], "wrong")
        found = self.examine(0, "--threads", 1, ranks=ranks)
        self.assertEqual(found["oversubscription"]["verdict"], "slow")

    def test_bound_ranks(self):
        found = self.examine(
            5, "--threads", 2, ranks=1, OMPI_MCA_hwloc_base_binding_policy="core"
        )
        self.assertIn("bound to 1 CPU", found["binding"]["text"])

    def test_output_folder_of_a_config(self):
        config = self.small()
        done = support.run("doctor", config, "--json", "--threads", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        facts = json.loads(done.stdout)["facts"]
        self.assertEqual(facts["folder"]["path"], self.folder)
        self.assertGreater(facts["needed_bytes"], 0)
        self.assertEqual(glob.glob(self.path(".*")), [])

    def test_folder_where_nothing_can_be_written(self):
        found = self.examine(5, output="/proc/self")
        self.assertEqual(found["folder"]["verdict"], "wrong")
        self.assertIn("output.folder", found["folder"]["remedy"])

    def test_no_folder(self):
        config = self.config(model={"kind": "qcnn", "qubits": 4}, data={"source": "excitations"})
        for arguments in ((config,), ("--folder", "")):
            done = self.refuse(5, "doctor", *arguments, "--threads", 1)
            self.assertIn("wrong  folder: the run has no output folder", done.stdout)
            self.assertIn("--set output.folder=FOLDER", done.stdout)

    def test_locks_that_the_file_system_refuses(self):
        """A preloaded flock() plays a network file system without locks."""
        source = self.write(
            "flock.c",
            "#include <errno.h>\n"
            "int flock(int file, int how) { (void)file; (void)how; errno = ENOLCK; return -1; }\n",
        )
        library = self.path("flock.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
        found = self.examine(5, LD_PRELOAD=library)
        self.assertEqual(found["locking"]["verdict"], "wrong")
        self.assertIn("HDF5_USE_FILE_LOCKING=FALSE", found["locking"]["remedy"])
        self.examine(0, LD_PRELOAD=library, HDF5_USE_FILE_LOCKING="FALSE")


if __name__ == "__main__":
    unittest.main()
