/// What every command shares.
#include "command.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/base/version.hpp"
#include "wavetrain/comm/mpi.hpp"
#include "wavetrain/config/assemble.hpp"
#include "wavetrain/engine/simd.hpp"

#include <cstdio>
#include <filesystem>
#include <system_error>

namespace wavetrain {
namespace {

constexpr int kMostRanks = 1 << 24;

} // namespace

CLI::App* add_command(CLI::App& app, Program& program, const std::string& name,
                      const std::string& description) {
    CLI::App* command = app.add_subcommand(name, description);
    command->add_option("--threads", program.threads, "threads of each rank (0: automatic)")
        ->check(CLI::Range(0, 1 << 20));
    command->add_flag("--quiet", program.quiet, "say nothing but errors");
    command->add_flag("--verbose", program.verbose, "say more");
    command->add_flag("--json", program.json, "print the result as JSON, errors too");
    command
        ->add_option("--expect-ranks", program.launch.expect_ranks,
                     "refuse to start with another number of ranks")
        ->check(CLI::Range(1, kMostRanks));
    command
        ->add_option("--expect-hosts", program.launch.expect_hosts,
                     "refuse to start on another number of hosts")
        ->check(CLI::Range(1, kMostRanks));
    command->add_flag("--allow-singleton", program.launch.allow_singleton,
                      "start alone although the launcher promised more ranks");
    return command;
}

void print_result(const Program& program, const Comm& comm, const Json& json,
                  const std::string& text) {
    if (comm.rank() != 0) return;
    const std::string line = program.json ? json.dump() : text;
    if (std::printf("%s\n", line.c_str()) < 0 || std::fflush(stdout) != 0)
        fail(Kind::environment, "cannot write the result to stdout");
}

void refuse_same(const std::string& in, const std::string& out) {
    std::error_code error;
    if (in == out || std::filesystem::equivalent(in, out, error))
        fail(Kind::usage, "'{}' would be read and written: choose another file to write", out);
}

void print_file(const Program& program, const Comm& comm, const std::string& file) {
    if (program.quiet && !program.json) return;
    print_result(program, comm, Json::object().set("files", std::vector<std::string>{file}),
                 format("files written:\n  {}", file));
}

Json version_json() {
    Json libraries = Json::object();
    for (const auto& [name, text] : library_versions()) libraries.set(name, text);
    return Json::object()
        .set("version", version())
        .set("commit", commit())
        .set("libraries", libraries)
        .set("simd", std::string(simd_name(simd_in_use())))
        .set("mpi", mpi_library());
}

std::string version_text() {
    std::string text = format("wavetrain {} (commit {})", version(), commit());
    for (const auto& [name, library] : library_versions()) text += format("\n{} {}", name, library);
    return text + format("\nSIMD {}\nMPI {}", std::string(simd_name(simd_in_use())), mpi_library());
}

} // namespace wavetrain
