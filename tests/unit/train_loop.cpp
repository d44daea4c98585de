/// The training loop where ranks do not agree, which the program itself never lets come so far.
#include "catch.hpp"
#include "contains.hpp"
#include "scratch.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/comm/threads.hpp"
#include "wavetrain/io/atomic_file.hpp"
#include "wavetrain/train/loop.hpp"

using namespace wavetrain;
using namespace wavetrain::test;

namespace {

/// Trains a tiny model; rank `odd` starts from other weights. The errors of all ranks.
std::vector<std::string> errors_of_training(const std::string& folder, int ranks, int odd,
                                            CheckpointOptions checkpoint) {
    ModelOptions options;
    options.kind = "layers";
    options.layers.resize(1);
    options.layers[0].type = "dense";
    options.layers[0].units = 1;
    Samples samples{Table(4, 1), Table(4, 1)};
    samples.features.values = {0.1, 0.2, 0.3, 0.4};
    samples.labels.values = {1, -1, 1, -1};
    const Samples none{Table(0, 1), Table(0, 1)};
    const Loss loss("mse");
    std::vector<std::string> errors(static_cast<std::size_t>(ranks));
    run_ranks(ranks, [&](Comm& comm) {
        Model model(options, {"x"}, {});
        TrainSetup setup{model,    loss,  samples, none, {0.5, 0.25}, {}, {}, checkpoint,
                         {folder}, false, {},      {},   "",          "", {}, false};
        setup.options.epochs = 2;
        setup.options.batch_size = 2;
        if (comm.rank() == odd) setup.parameters[0] += 1e-12;
        Watchdog watchdog(comm, 60);
        const Workers workers{comm, 1, 8};
        try {
            train(setup, workers, watchdog);
        } catch (const Error& error) {
            CHECK(error.kind() == Kind::bug);
            CHECK(error.everywhere());
            errors[static_cast<std::size_t>(comm.rank())] = error.what();
        }
    });
    return errors;
}

} // namespace

TEST_CASE("B94: ranks compare their weights after every epoch and for checkpoints", "[loop]") {
    const Scratch scratch;
    for (const std::string& error : errors_of_training(scratch.path("same"), 3, -1, {}))
        CHECK(error.empty());
    CHECK(exists(scratch.path("same/weights.h5")));
    for (const std::string& error : errors_of_training(scratch.path("epoch"), 3, 2, {}))
        CHECK(contains(error, "step 2: the weights of rank 2 differ"));
    for (const std::string& error : errors_of_training(scratch.path("checkpoint"), 3, 1, {1, 0, 3}))
        CHECK(contains(error, "step 1: the weights of rank 1 differ"));
    CHECK_FALSE(exists(scratch.path("checkpoint/checkpoints")));
    CHECK_FALSE(exists(scratch.path("epoch/weights.h5")));
}
