/// The templates: the quantum convolutional networks of the TensorFlow Quantum tutorial (Cong, Choi
/// and Lukin, Nature Physics 15, 1273, 2019, is the idea behind them), embeddings and ansaetze.
#include "wavetrain/circuit/templates.hpp"

#include "wavetrain/base/text.hpp"

#include <functional>

namespace wavetrain {
namespace {

constexpr int kConvolutionSymbols = 15;
constexpr int kLevelSymbols = 21; // 15 of the convolution, 6 of the pooling

const std::string& text_option(const OptionMap& options, const char* name) {
    return std::get<std::string>(options.at(name));
}

int qubits_option(const OptionMap& options, int least) {
    const std::int64_t qubits = std::get<std::int64_t>(options.at("qubits"));
    if (qubits < least || qubits > kMostQubits)
        fail(Kind::usage, "option 'qubits' is {}, but must be from {} to {}", qubits, least,
             kMostQubits);
    return static_cast<int>(qubits);
}

int layers_option(const OptionMap& options) {
    const std::int64_t layers = std::get<std::int64_t>(options.at("layers"));
    if (layers < 1 || layers > kMostQubits)
        fail(Kind::usage, "option 'layers' is {}, but must be from 1 to {}", layers, kMostQubits);
    return static_cast<int>(layers);
}

std::vector<Qubit> all_qubits(int count) {
    std::vector<Qubit> qubits;
    for (int i = 0; i < count; ++i) qubits.push_back(Qubit{i});
    return qubits;
}

/// Gates of the convolutional network, appended to one circuit.
class QcnnWriter {
public:
    QcnnWriter(Circuit& circuit, bool multiworker) : circuit_(circuit), multiworker_(multiworker) {}

    void cluster_state() {
        const int n = circuit_.qubits;
        for (int i = 0; i < n; ++i) circuit_.add("h", {i});
        for (int i = 0; i < n; ++i) circuit_.add("cz", {i, (i + 1) % n});
    }

    void excitations() {
        const std::vector<Angle> angles = circuit_.add_array("excitation", circuit_.qubits);
        for (int i = 0; i < circuit_.qubits; ++i)
            circuit_.add("rx", {i}, {angles[static_cast<std::size_t>(i)]});
    }

    /// Declares the symbols of one level. The multi-worker variant never uses its symbol 6.
    void begin_level(int level) {
        symbols_.assign(kLevelSymbols, Angle());
        for (int i = 0; i < kLevelSymbols; ++i)
            if (!(multiworker_ && i == 6))
                symbols_[static_cast<std::size_t>(i)] =
                    circuit_.add_input(format("qconv{}", kLevelSymbols * level + i));
    }

    void convolution(std::span<const Qubit> qubits) {
        const std::size_t n = qubits.size();
        for (std::size_t i = 0; i + 1 < n; i += 2) two_qubit_unitary(qubits[i], qubits[i + 1]);
        for (std::size_t i = 1; i < n; i += 2) {
            if (i + 1 < n)
                two_qubit_unitary(qubits[i], qubits[i + 1]);
            else // only reached where n is even: the ring closes
                two_qubit_unitary(qubits[i], qubits[0]);
        }
    }

    void pooling(std::span<const Qubit> qubits) {
        const std::size_t sources = qubits.size() / 2;
        for (std::size_t i = 0; i < sources; ++i) pool(qubits[i], qubits[sources + i]);
    }

private:
    const Angle& s(int i) const { return symbols_[static_cast<std::size_t>(i)]; }

    void one_qubit_unitary(Qubit q, int first) {
        circuit_.add("xpow", {q.index}, {s(first)});
        circuit_.add("ypow", {q.index}, {s(first + 1)});
        circuit_.add("zpow", {q.index}, {s(first + 2)});
    }

    void two_qubit_unitary(Qubit a, Qubit b) {
        // The reference's multi-worker code takes 7, 8, 9 here and 9 again just below.
        const int slip = multiworker_ ? 1 : 0;
        one_qubit_unitary(a, 0);
        one_qubit_unitary(b, 3);
        circuit_.add("zzpow", {a.index, b.index}, {s(6 + slip)});
        circuit_.add("yypow", {a.index, b.index}, {s(7 + slip)});
        circuit_.add("xxpow", {a.index, b.index}, {s(8 + slip)});
        one_qubit_unitary(a, 9);
        one_qubit_unitary(b, 12);
    }

    void pool(Qubit source, Qubit sink) {
        constexpr int kSink = kConvolutionSymbols;
        one_qubit_unitary(sink, kSink);
        one_qubit_unitary(source, kSink + 3);
        circuit_.add("cx", {source.index, sink.index});
        circuit_.add("zpow", {sink.index}, {-s(kSink + 2)});
        circuit_.add("ypow", {sink.index}, {-s(kSink + 1)});
        circuit_.add("xpow", {sink.index}, {-s(kSink)});
    }

    Circuit& circuit_;
    bool multiworker_;
    std::vector<Angle> symbols_;
};

bool multiworker_option(const OptionMap& options) {
    const std::string& variant = text_option(options, "variant");
    if (variant != "tutorial" && variant != "tfq-multiworker")
        fail(Kind::usage, "option 'variant' is '{}', but must be 'tutorial' or 'tfq-multiworker'",
             variant);
    return variant == "tfq-multiworker";
}

/// Cluster state, excitations, then levels of convolution and pooling while `more(qubits)`.
Circuit make_levels(const OptionMap& options,
                    const std::function<bool(std::size_t qubits, int level)>& more) {
    Circuit circuit;
    circuit.qubits = qubits_option(options, 2);
    QcnnWriter writer(circuit, multiworker_option(options));
    writer.cluster_state();
    writer.excitations();
    std::vector<Qubit> qubits = all_qubits(circuit.qubits);
    for (int level = 0; more(qubits.size(), level); ++level) {
        writer.begin_level(level);
        writer.convolution(qubits);
        writer.pooling(qubits);
        qubits = pooling_sinks(qubits);
    }
    return circuit;
}

Circuit make_qcnn_layer(const OptionMap& options) {
    return make_levels(options, [](std::size_t, int level) { return level == 0; });
}

Circuit make_qcnn(const OptionMap& options) {
    return make_levels(options, [](std::size_t qubits, int) { return qubits > 1; });
}

Circuit make_cluster_state(const OptionMap& options) {
    Circuit circuit;
    circuit.qubits = qubits_option(options, 2);
    QcnnWriter(circuit, false).cluster_state();
    return circuit;
}

std::string rotation_option(const OptionMap& options) {
    const std::string& gate = text_option(options, "rotation");
    if (gate != "rx" && gate != "ry" && gate != "rz")
        fail(Kind::usage, "option 'rotation' is '{}', but must be 'rx', 'ry' or 'rz'", gate);
    return gate;
}

Circuit make_angle_embedding(const OptionMap& options) {
    Circuit circuit;
    circuit.qubits = qubits_option(options, 1);
    const std::string gate = rotation_option(options);
    const std::vector<Angle> x = circuit.add_array("x", circuit.qubits);
    for (int i = 0; i < circuit.qubits; ++i)
        circuit.add(gate, {i}, {x[static_cast<std::size_t>(i)]});
    return circuit;
}

Circuit make_hardware_efficient(const OptionMap& options) {
    Circuit circuit;
    const int n = circuit.qubits = qubits_option(options, 1);
    const int layers = layers_option(options);
    const std::vector<Angle> w = circuit.add_array("w", 2 * n * layers);
    std::size_t next = 0;
    for (int layer = 0; layer < layers; ++layer) {
        for (int i = 0; i < n; ++i) {
            circuit.add("ry", {i}, {w[next++]});
            circuit.add("rz", {i}, {w[next++]});
        }
        // A ring of two qubits would be the same CZ twice, that is nothing.
        for (int i = 0; i + 1 < n; ++i) circuit.add("cz", {i, i + 1});
        if (n > 2) circuit.add("cz", {n - 1, 0});
    }
    return circuit;
}

/// Schuld, Bocharov, Svore and Wiebe, Phys. Rev. A 101, 032308 (2020), as PennyLane builds it:
/// RZ RY RZ on each qubit, then CNOTs at distance 1, 2, ... from layer to layer.
Circuit make_strongly_entangling(const OptionMap& options) {
    Circuit circuit;
    const int n = circuit.qubits = qubits_option(options, 1);
    const int layers = layers_option(options);
    const std::vector<Angle> w = circuit.add_array("w", 3 * n * layers);
    std::size_t next = 0;
    for (int layer = 0; layer < layers; ++layer) {
        for (int i = 0; i < n; ++i) {
            circuit.add("rz", {i}, {w[next++]});
            circuit.add("ry", {i}, {w[next++]});
            circuit.add("rz", {i}, {w[next++]});
        }
        if (n < 2) continue;
        const int distance = layer % (n - 1) + 1;
        for (int i = 0; i < n; ++i) circuit.add("cx", {i, (i + distance) % n});
    }
    return circuit;
}

std::vector<TemplateInfo> make_table() {
    const TemplateOption qubits{"qubits", std::int64_t{8}, "number of qubits"};
    const TemplateOption variant{"variant", std::string("tutorial"),
                                 "'tutorial' or 'tfq-multiworker'"};
    const TemplateOption layers{"layers", std::int64_t{1}, "number of layers"};
    const TemplateOption rotation{"rotation", std::string("rx"), "'rx', 'ry' or 'rz'"};
    return {
        {"qcnn_layer",
         "cluster state, excitation, one quantum convolution and one pooling",
         {qubits, variant},
         make_qcnn_layer},
        {"qcnn",
         "cluster state, excitation, convolutions and poolings until one qubit is left",
         {qubits, variant},
         make_qcnn},
        {"cluster_state", "H on all, CZ around the ring", {qubits}, make_cluster_state},
        {"angle_embedding",
         "a rotation by x[i] on qubit i",
         {qubits, rotation},
         make_angle_embedding},
        {"hardware_efficient",
         "layers of RY, RZ on each qubit and CZ around the ring",
         {qubits, layers},
         make_hardware_efficient},
        {"strongly_entangling",
         "layers of RZ, RY, RZ on each qubit and CNOTs at growing distance",
         {qubits, layers},
         make_strongly_entangling},
    };
}

} // namespace

std::span<const TemplateInfo> template_table() {
    static const std::vector<TemplateInfo> table = make_table();
    return table;
}

Circuit make_template(std::string_view name, const OptionMap& options, const Place& place) {
    std::vector<std::string> names;
    const TemplateInfo* found = nullptr;
    for (const TemplateInfo& row : template_table()) {
        names.emplace_back(row.name);
        if (row.name == name) found = &row;
    }
    if (!found)
        fail_at(place, Kind::usage, "unknown circuit template '{}'{}", name,
                suggestion(name, names));
    OptionMap filled;
    std::vector<std::string> known;
    for (const TemplateOption& option : found->options) {
        filled.emplace(option.name, option.value);
        known.emplace_back(option.name);
    }
    for (const auto& [key, value] : options) {
        const auto known_option = filled.find(key);
        if (known_option == filled.end())
            fail_at(place, Kind::usage, "template '{}' has no option '{}'{}", name, key,
                    suggestion(key, known));
        if (known_option->second.index() != value.index())
            fail_at(place, Kind::usage, "option '{}' of template '{}' has the wrong type", key,
                    name);
        known_option->second = value;
    }
    try {
        return found->make(filled);
    } catch (const Error& error) {
        throw Error(error.kind(), format("template '{}': {}", name, error.what()), place);
    }
}

std::vector<Qubit> pooling_sinks(std::span<const Qubit> qubits) {
    const auto sources = static_cast<std::ptrdiff_t>(qubits.size() / 2);
    return {qubits.begin() + sources, qubits.end()};
}

} // namespace wavetrain
