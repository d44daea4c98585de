/// What every command shares.
#include "command.hpp"

#include "wavetrain/base/version.hpp"
#include "wavetrain/comm/mpi.hpp"
#include "wavetrain/config/assemble.hpp"

#include <cstdio>

namespace wavetrain {

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
        ->check(CLI::PositiveNumber);
    command
        ->add_option("--expect-hosts", program.launch.expect_hosts,
                     "refuse to start on another number of hosts")
        ->check(CLI::PositiveNumber);
    command->add_flag("--allow-singleton", program.launch.allow_singleton,
                      "start alone although the launcher promised more ranks");
    return command;
}

void print_result(const Program& program, const Comm& comm, const Json& json,
                  const std::string& text) {
    if (comm.rank() != 0) return;
    std::printf("%s\n", program.json ? json.dump().c_str() : text.c_str());
    std::fflush(stdout);
}

Json version_json() {
    Json libraries = Json::object();
    for (const auto& [name, text] : library_versions()) libraries.set(name, text);
    return Json::object()
        .set("version", version())
        .set("commit", commit())
        .set("libraries", libraries)
        .set("simd", simd_target())
        .set("mpi", mpi_library());
}

std::string version_text() {
    std::string text = format("wavetrain {} (commit {})", version(), commit());
    for (const auto& [name, library] : library_versions()) text += format("\n{} {}", name, library);
    return text + format("\nSIMD {}\nMPI {}", simd_target(), mpi_library());
}

} // namespace wavetrain
