/// What every command of the program shares: options, the launch check, results on stdout.
#pragma once

#include "wavetrain/base/json.hpp"
#include "wavetrain/base/log.hpp"
#include "wavetrain/comm/comm.hpp"
#include "wavetrain/comm/launch.hpp"
#include "wavetrain/comm/together.hpp"

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace wavetrain {

/// The options that every command takes, and the command that was chosen.
struct Program {
    int threads = 0;
    bool quiet = false;
    bool verbose = false;
    bool json = false;
    bool version = false;
    bool stops_in_order = false; ///< the command looks at stop_signal()
    LaunchOptions launch;
    std::function<void(Comm&)> command;

    Verbosity verbosity() const {
        return quiet ? Verbosity::quiet : verbose ? Verbosity::verbose : Verbosity::normal;
    }
};

/// Adds a command with the shared options.
CLI::App* add_command(CLI::App& app, Program& program, const std::string& name,
                      const std::string& description);

/// Prints a result on stdout, on rank 0: the JSON value, or the text.
void print_result(const Program& program, const Comm& comm, const Json& json,
                  const std::string& text);

/// Refuses to write the file that is read: its other form cannot hold all of it.
void refuse_same(const std::string& in, const std::string& out);

/// Says which file was written, unless nobody wants to hear of it.
void print_file(const Program& program, const Comm& comm, const std::string& file);

// Each command: its options, and what it does.
void add_train(CLI::App& app, Program& program);
void add_evaluate(CLI::App& app, Program& program);
void add_predict(CLI::App& app, Program& program);
void add_export(CLI::App& app, Program& program);
void add_import(CLI::App& app, Program& program);
void add_simulate(CLI::App& app, Program& program);
void add_draw(CLI::App& app, Program& program);
void add_plan(CLI::App& app, Program& program);
void add_gradcheck(CLI::App& app, Program& program);
void add_gates(CLI::App& app, Program& program);
void add_bench(CLI::App& app, Program& program);
void add_bench_circuit(CLI::App& bench, Program& program);
void add_doctor(CLI::App& app, Program& program);

/// --version: one line, or everything with --json.
Json version_json();
std::string version_text();

} // namespace wavetrain
