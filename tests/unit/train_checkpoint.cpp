/// Checkpoint files: everything comes back, every damage is found, the newest whole one is chosen.
#include "captured_stderr.hpp"
#include "catch.hpp"
#include "contains.hpp"
#include "scratch.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/base/hash.hpp"
#include "wavetrain/io/atomic_file.hpp"
#include "wavetrain/train/checkpoint.hpp"

using namespace wavetrain;
using namespace wavetrain::test;

namespace {

Checkpoint example(std::int64_t step) {
    Checkpoint checkpoint;
    TrainState& state = checkpoint.state;
    state.parameters = {0.1, -2.5e-300, 1e300};
    state.optimizer = {step, {1.0, 2.0, 3.0}, {4.0, 5.0, 1.0 / 3}};
    state.step = step;
    state.epoch = 3;
    state.step_in_epoch = 2;
    state.loss_sum = 1.0 / 7;
    state.correct = 11;
    state.epoch_seconds = 0.25;
    state.learning_rate = 0.02;
    state.best_loss = 0.5;
    state.without_improvement = 1;
    state.training = Score{0.75, 0.5};
    state.validation = Score{0.125, std::nullopt};
    checkpoint.config = "[train]\nepochs = 3\n";
    checkpoint.data_sha256 = sha256(std::string_view("data"));
    checkpoint.order_sha256 = sha256(std::string_view("order"));
    checkpoint.simd = "scalar";
    checkpoint.piece_amplitudes = 64;
    checkpoint.metrics_records = 9;
    checkpoint.metrics_pending = {"{\"event\": \"step\"}", "{}"};
    return checkpoint;
}

void check_same(const Checkpoint& a, const Checkpoint& b) {
    CHECK(a.state.parameters == b.state.parameters);
    CHECK(a.state.optimizer.steps == b.state.optimizer.steps);
    CHECK(a.state.optimizer.first == b.state.optimizer.first);
    CHECK(a.state.optimizer.second == b.state.optimizer.second);
    CHECK(a.state.step == b.state.step);
    CHECK(a.state.epoch == b.state.epoch);
    CHECK(a.state.step_in_epoch == b.state.step_in_epoch);
    CHECK(a.state.loss_sum == b.state.loss_sum);
    CHECK(a.state.correct == b.state.correct);
    CHECK(a.state.epoch_seconds == b.state.epoch_seconds);
    CHECK(a.state.learning_rate == b.state.learning_rate);
    CHECK(a.state.best_loss == b.state.best_loss);
    CHECK(a.state.without_improvement == b.state.without_improvement);
    CHECK(a.state.training.has_value() == b.state.training.has_value());
    if (a.state.training) CHECK(a.state.training->loss == b.state.training->loss);
    if (a.state.training) CHECK(a.state.training->accuracy == b.state.training->accuracy);
    CHECK(a.state.validation.has_value() == b.state.validation.has_value());
    if (a.state.validation) CHECK(a.state.validation->loss == b.state.validation->loss);
    if (a.state.validation) CHECK(a.state.validation->accuracy == b.state.validation->accuracy);
    CHECK(a.config == b.config);
    CHECK(a.data_sha256 == b.data_sha256);
    CHECK(a.order_sha256 == b.order_sha256);
    CHECK(a.simd == b.simd);
    CHECK(a.piece_amplitudes == b.piece_amplitudes);
    CHECK(a.metrics_records == b.metrics_records);
    CHECK(a.metrics_pending == b.metrics_pending);
}

Kind kind_of(std::string_view bytes) {
    try {
        parse_checkpoint(bytes, "file.h5");
    } catch (const Error& error) {
        CHECK(contains(error.what(), "file.h5"));
        return error.kind();
    }
    FAIL("accepted");
    return Kind::bug;
}

} // namespace

TEST_CASE("a checkpoint comes back as it was", "[checkpoint]") {
    check_same(parse_checkpoint(checkpoint_bytes(example(40)), "x"), example(40));
    // At the very start, without anything optional.
    Checkpoint bare;
    bare.config = "c";
    bare.simd = bare.data_sha256 = bare.order_sha256 = "s";
    check_same(parse_checkpoint(checkpoint_bytes(bare), "x"), bare);
    CHECK(checkpoint_bytes(example(40)) == checkpoint_bytes(example(40)));
}

TEST_CASE("a checkpoint that is cut, changed or none is refused", "[checkpoint]") {
    const std::string whole = checkpoint_bytes(example(40));
    for (std::size_t length = 0; length < whole.size(); length += 61)
        CHECK(kind_of(std::string_view(whole).substr(0, length)) == Kind::environment);
    for (std::size_t place = 0; place < whole.size(); place += 97) {
        std::string changed = whole;
        changed[place] = static_cast<char>(changed[place] ^ 16);
        CHECK(kind_of(changed) == Kind::environment);
    }
    CHECK(kind_of(whole + whole) == Kind::environment);
    CHECK(kind_of(std::string(5000, 'x')) == Kind::environment);
}

TEST_CASE("a checkpoint that contradicts itself is refused", "[checkpoint]") {
    Checkpoint checkpoint = example(40);
    checkpoint.state.optimizer.second.pop_back();
    CHECK(kind_of(checkpoint_bytes(checkpoint)) == Kind::usage);
    checkpoint = example(40);
    checkpoint.state.epoch = 0;
    CHECK(kind_of(checkpoint_bytes(checkpoint)) == Kind::usage);
}

TEST_CASE("the newest whole checkpoint is found by content", "[checkpoint]") {
    const Scratch scratch;
    const CapturedStderr captured;
    CHECK_FALSE(newest_checkpoint(scratch.path("none")));
    CHECK_FALSE(newest_checkpoint(scratch.folder()));
    replace_text(scratch.path("step-0000000001.h5"), checkpoint_bytes(example(30)));
    replace_text(scratch.path("zzz"), checkpoint_bytes(example(20)));
    replace_text(scratch.path("step-0000000050.h5"), checkpoint_bytes(example(50)).substr(0, 999));
    replace_text(scratch.path("step-0000000060.h5.tmp"), checkpoint_bytes(example(60)));
    create_folders(scratch.path("folder"));
    const auto newest = newest_checkpoint(scratch.folder());
    REQUIRE(newest);
    CHECK(newest->path == scratch.path("step-0000000001.h5"));
    CHECK(parse_checkpoint(newest->bytes, newest->path).state.step == 30);
    CHECK(contains(captured.text(), "step-0000000050.h5"));
}

TEST_CASE("old checkpoints are removed by their names, other files stay", "[checkpoint]") {
    const Scratch scratch;
    for (const std::int64_t step : {9, 10, 100, 1000})
        replace_text(scratch.path(checkpoint_name(step)), "x");
    for (const char* name : {"notes.txt", "step-5.h5", "step-x.h5"})
        replace_text(scratch.path(name), "x");
    keep_latest_checkpoints(scratch.folder(), 3);
    CHECK_FALSE(exists(scratch.path(checkpoint_name(9))));
    remove_checkpoints_from(scratch.folder(), 100);
    CHECK(list_folder(scratch.folder()) ==
          std::vector<std::string>{"notes.txt", checkpoint_name(10), "step-5.h5", "step-x.h5"});
    keep_latest_checkpoints(scratch.folder(), 3);
    CHECK(exists(scratch.path(checkpoint_name(10))));
}
