/// wavetrain gates
#include "command.hpp"

#include "wavetrain/circuit/circuit.hpp"
#include "wavetrain/circuit/gate_page.hpp"

namespace wavetrain {
namespace {

Json gates_json() {
    Json rows = Json::array();
    for (const GateInfo& row : gate_table()) {
        std::vector<std::string> angles(row.parameters.begin(), row.parameters.end());
        rows.push(Json::object()
                      .set("name", row.name)
                      .set("controls", row.controls)
                      .set("targets", row.targets)
                      .set("angles", angles)
                      .set("meaning", row.meaning)
                      .set("inverse", row.inverse));
    }
    return Json::object().set("gates", rows);
}

} // namespace

void add_gates(CLI::App& app, Program& program) {
    CLI::App* command = add_command(app, program, "gates", "the gate table and its conventions");
    command->callback([&program] {
        program.command = [&program](Comm& comm) {
            std::string page = gate_page();
            if (page.ends_with('\n')) page.pop_back();
            print_result(program, comm, gates_json(), page);
        };
    });
}

} // namespace wavetrain
