/// What `wavetrain simulate` prints.
#pragma once

#include "wavetrain/base/json.hpp"
#include "wavetrain/gradient/simulate.hpp"

#include <string>

namespace wavetrain {

/// The answers as JSON; what was not asked for has no key.
Json simulation_json(const Circuit& circuit, const SimulationRequest& request,
                     const SimulationResult& result, const std::string& precision);

/// The same for a person.
std::string simulation_text(const Circuit& circuit, const SimulationRequest& request,
                            const SimulationResult& result);

/// Prints a line after every gate, or keeps it for the JSON.
class TraceText {
public:
    TraceText(const Circuit& circuit, bool json) : circuit_(circuit), keep_(json) {}

    void operator()(std::size_t gate, double norm, const std::vector<double>& values);
    const Json& json() const { return lines_; }

private:
    const Circuit& circuit_;
    bool keep_;
    Json lines_ = Json::array();
};

} // namespace wavetrain
