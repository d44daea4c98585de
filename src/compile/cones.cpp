/// Light cones.
#include "cones.hpp"

#include <algorithm>
#include <cmath>

namespace wavetrain {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// What a state costs besides its amplitudes, in the same unit (amplitude updates of one gate).
constexpr double kGateOverhead = 32.0;

double cost(double gates, double qubits) {
    return (gates + 1.0) * (std::exp2(qubits) + kGateOverhead);
}

double cost(const ConeShape& shape) {
    const auto qubits = std::count(shape.qubits.begin(), shape.qubits.end(), true);
    const auto gates = std::count(shape.operations.begin(), shape.operations.end(), true);
    return cost(static_cast<double>(gates), static_cast<double>(qubits));
}

/// The number of qubits of either.
double joined_qubits(const ConeShape& a, const ConeShape& b) {
    int count = 0;
    for (std::size_t q = 0; q < a.qubits.size(); ++q) count += a.qubits[q] || b.qubits[q] ? 1 : 0;
    return count;
}

ConeShape joined(const ConeShape& a, const ConeShape& b) {
    ConeShape result = a;
    for (std::size_t i = 0; i < b.operations.size(); ++i)
        if (b.operations[i]) result.operations[i] = true;
    for (std::size_t i = 0; i < b.qubits.size(); ++i)
        if (b.qubits[i]) result.qubits[i] = true;
    result.observables.insert(result.observables.end(), b.observables.begin(), b.observables.end());
    std::sort(result.observables.begin(), result.observables.end());
    return result;
}

/// Walks back from the observable. A gate that meets what follows it only where both act diagonally
/// commutes with all of it and cancels against its inverse: it is not needed. (So a ring of CZs
/// does not draw in the whole ring.)
ConeShape light_cone(const Circuit& circuit, const PauliSum& observable) {
    ConeShape shape{std::vector<bool>(circuit.operations.size(), false),
                    std::vector<bool>(at(circuit.qubits), false),
                    {}};
    // Per qubit of the shape: does everything so far act on it diagonally?
    std::vector<bool> diagonal(at(circuit.qubits), true);
    const auto reach = [&](Qubit q, bool diagonally) {
        shape.qubits[at(q.index)] = true;
        if (!diagonally) diagonal[at(q.index)] = false;
    };
    for (const PauliTerm& term : observable.terms)
        for (const PauliFactor& factor : term.factors) reach(factor.qubit, factor.pauli == 'Z');
    for (std::size_t i = circuit.operations.size(); i-- > 0;) {
        const Operation& operation = circuit.operations[i];
        const std::vector<Qubit> touched = touched_qubits(operation);
        const bool needed = std::any_of(touched.begin(), touched.end(), [&](Qubit q) {
            return shape.qubits[at(q.index)] &&
                   !(diagonal[at(q.index)] && acts_diagonally(circuit, operation, q));
        });
        if (!needed) continue;
        shape.operations[i] = true;
        for (Qubit q : touched) reach(q, acts_diagonally(circuit, operation, q));
    }
    return shape;
}

} // namespace

std::vector<ConeShape> light_cones(const Circuit& circuit, std::span<const PauliSum> observables) {
    std::vector<ConeShape> shapes;
    for (std::size_t j = 0; j < observables.size(); ++j) {
        ConeShape shape = light_cone(circuit, observables[j]);
        const auto same = std::find_if(shapes.begin(), shapes.end(), [&](const ConeShape& other) {
            return other.operations == shape.operations && other.qubits == shape.qubits;
        });
        if (same != shapes.end()) {
            same->observables.push_back(static_cast<int>(j));
        } else {
            shape.observables = {static_cast<int>(j)};
            shapes.push_back(std::move(shape));
        }
    }
    return shapes;
}

std::vector<ConeShape> join_cones(const Circuit& circuit, std::vector<ConeShape> shapes) {
    // Shapes of neighbouring observables overlap most: each shape is tried against the ones that
    // follow it, until a round changes nothing. Most pairs are too wide together, whatever gates
    // they share, and that is quickly seen.
    std::vector<double> costs;
    for (const ConeShape& shape : shapes) costs.push_back(cost(shape));
    bool changed = true;
    while (changed) {
        changed = false;
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            for (std::size_t j = i + 1; j < shapes.size();) {
                const double apart = costs[i] + costs[j];
                if (cost(0.0, joined_qubits(shapes[i], shapes[j])) >= apart) {
                    ++j;
                    continue;
                }
                ConeShape both = joined(shapes[i], shapes[j]);
                const double together = cost(both);
                if (together >= apart) {
                    ++j;
                    continue;
                }
                shapes[i] = std::move(both);
                costs[i] = together;
                shapes.erase(shapes.begin() + static_cast<std::ptrdiff_t>(j));
                costs.erase(costs.begin() + static_cast<std::ptrdiff_t>(j));
                changed = true;
            }
        }
    }
    std::size_t observables = 0;
    double sum = 0;
    for (const ConeShape& shape : shapes) {
        observables += shape.observables.size();
        sum += cost(shape);
    }
    ConeShape whole = whole_circuit(circuit, observables);
    if (shapes.size() > 1 && cost(whole) < sum) return {std::move(whole)};
    return shapes;
}

ConeShape whole_circuit(const Circuit& circuit, std::size_t observables) {
    ConeShape shape{std::vector<bool>(circuit.operations.size(), true),
                    std::vector<bool>(at(circuit.qubits), true),
                    {}};
    for (std::size_t j = 0; j < observables; ++j) shape.observables.push_back(static_cast<int>(j));
    return shape;
}

} // namespace wavetrain
