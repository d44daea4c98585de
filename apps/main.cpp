/// The program: starts MPI, reads the command line, runs one command, turns errors into exit codes.
#include "command.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/comm/mpi.hpp"
#include "wavetrain/comm/signals.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace {

using wavetrain::Error;
using wavetrain::Json;
using wavetrain::Program;

constexpr int kUsage = static_cast<int>(wavetrain::Kind::usage);

/// Says on stderr what went wrong; with --json also as one line for machines.
void report(const Error& error, int rank, bool json) {
    wavetrain::log_error_text(error.what());
    if (!json) return;
    Json value = Json::object();
    value.set("kind", wavetrain::kind_name(error.kind())).set("message", error.what());
    if (!error.place().file.empty()) {
        value.set("file", error.place().file);
        if (error.place().line > 0) value.set("line", error.place().line);
        if (error.place().column > 0) value.set("column", error.place().column);
    }
    value.set("rank", error.rank() >= 0 ? error.rank() : rank);
    wavetrain::log_raw_line(Json::object().set("error", value).dump());
}

/// Runs the command; an error that all ranks share ends them in order, any other ends the job.
int run_command(const Program& program, wavetrain::Comm& comm) {
    try {
        wavetrain::together_run(comm, "checking the launch",
                                [&] { wavetrain::check_launch(comm, program.launch); });
        program.command(comm);
        return 0;
    } catch (const std::exception& caught) {
        const Error error = wavetrain::as_error(caught);
        if (!error.everywhere() && comm.size() > 1) {
            report(error, comm.rank(), program.json);
            comm.abort(error.exit_code());
        }
        if (comm.rank() == 0) report(error, 0, program.json);
        return error.exit_code();
    }
}

/// The command line; all ranks read the same.
void describe(CLI::App& app, Program& program) {
    app.require_subcommand(0, 1);
    app.add_flag("--version", program.version,
                 "print version, commit, libraries, SIMD target and MPI");
    app.add_flag("--json", program.json, "print results as JSON");
    wavetrain::add_train(app, program);
    wavetrain::add_evaluate(app, program);
    wavetrain::add_predict(app, program);
    wavetrain::add_simulate(app, program);
    wavetrain::add_draw(app, program);
    wavetrain::add_plan(app, program);
    wavetrain::add_gradcheck(app, program);
    wavetrain::add_gates(app, program);
    wavetrain::add_bench(app, program);
    wavetrain::add_doctor(app, program);
    wavetrain::add_export(app, program);
    wavetrain::add_import(app, program);
}

/// Parses; what remains to be done is in program.command. Returns an exit code if nothing is.
int parse(CLI::App& app, Program& program, int argc, char** argv, int rank) {
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) {
            if (rank == 0) app.exit(error);
            return 0;
        }
        program.json = std::any_of(argv + 1, argv + argc,
                                   [](std::string_view argument) { return argument == "--json"; });
        if (rank == 0)
            report(
                Error(wavetrain::Kind::usage, wavetrain::format("{} (see --help)", error.what())),
                0, program.json);
        return kUsage;
    }
    if (program.version) {
        if (rank == 0)
            std::printf("%s\n", program.json ? wavetrain::version_json().dump().c_str()
                                             : wavetrain::version_text().c_str());
        return 0;
    }
    if (program.command) return -1;
    if (rank == 0) std::fputs(app.help().c_str(), stderr);
    return kUsage;
}

} // namespace

int main(int argc, char** argv) {
    wavetrain::install_signal_handlers();
    try {
        wavetrain::MpiSession session(&argc, &argv);
        wavetrain::Comm& comm = session.world();
        wavetrain::set_log(comm.rank(), comm.size(), wavetrain::Verbosity::normal);
        CLI::App app("Wavetrain trains and simulates quantum circuits on clusters.", "wavetrain");
        Program program;
        describe(app, program);
        const int code = parse(app, program, argc, argv, comm.rank());
        if (code >= 0) return code;
        if (!program.stops_in_order) wavetrain::release_signal_handlers();
        wavetrain::set_log(comm.rank(), comm.size(), program.verbosity());
        return run_command(program, comm);
    } catch (const std::exception& caught) {
        const Error error = wavetrain::as_error(caught);
        report(error, 0, false);
        return error.exit_code();
    }
}
