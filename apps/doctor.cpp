/// wavetrain doctor [CONFIG]
#include "command.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/config/doctor.hpp"

#include <algorithm>
#include <memory>

namespace wavetrain {
namespace {

Json findings_json(const std::vector<Finding>& findings) {
    Json rows = Json::array();
    for (const Finding& finding : findings) {
        Json row = Json::object()
                       .set("subject", finding.subject)
                       .set("verdict", verdict_name(finding.verdict))
                       .set("text", finding.text);
        if (!finding.remedy.empty()) row.set("remedy", finding.remedy);
        rows.push(row);
    }
    return rows;
}

std::string findings_text(const std::vector<Finding>& findings) {
    std::string text;
    for (const Finding& finding : findings) {
        text += format("{}{:<5}  {}: {}", text.empty() ? "" : "\n", verdict_name(finding.verdict),
                       finding.subject, finding.text);
        if (!finding.remedy.empty()) text += format("\n       mend it: {}", finding.remedy);
    }
    return text;
}

void run_doctor(const DoctorOptions& options, const Program& program, Comm& comm) {
    const LaunchFacts facts = launch_facts(comm, options);
    together_run(comm, "judging the launch", [&] {
        // Rank 0 alone knows folder and environment; its verdict is everyone's.
        if (comm.rank() != 0) return;
        const std::vector<Finding> findings = judge(facts);
        const auto wrong = std::count_if(findings.begin(), findings.end(), [](const Finding& f) {
            return f.verdict == Verdict::wrong;
        });
        print_result(program, comm,
                     Json::object()
                         .set("good", wrong == 0)
                         .set("findings", findings_json(findings))
                         .set("facts", facts_json(facts)),
                     findings_text(findings));
        if (wrong > 0)
            fail(Kind::launch, "doctor: {} finding{} wrong", wrong, wrong == 1 ? " is" : "s are");
    });
}

} // namespace

void add_doctor(CLI::App& app, Program& program) {
    auto options = std::make_shared<DoctorOptions>();
    CLI::App* command = add_command(
        app, program, "doctor", "what is wrong with this launch, and the command that mends it");
    command->add_option("config", options->config, "a config: its output folder and memory");
    command->add_option("--set", options->sets, "override a key of the config")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->take_all();
    command->add_option("--folder", options->folder, "the output folder, where no config is given");
    command->callback([options, &program] {
        // What other commands refuse before they begin is a finding here.
        options->expect_ranks = program.launch.expect_ranks;
        options->expect_hosts = program.launch.expect_hosts;
        options->threads = program.threads;
        program.launch = {.allow_singleton = true};
        program.command = [options, &program](Comm& comm) { run_doctor(*options, program, comm); };
    });
}

} // namespace wavetrain
