/// Data sets: laws of the generated ones, CSV and HDF5 files, and every way a file can be wrong.
#include "catch.hpp"
#include "scratch.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/base/format.hpp"
#include "wavetrain/data/dataset.hpp"
#include "wavetrain/io/atomic_file.hpp"
#include "wavetrain/io/h5.hpp"

#include <cmath>
#include <numbers>

using namespace wavetrain;

namespace {

template <class Action> Error error_of(Action action) {
    try {
        action();
    } catch (const Error& error) {
        return error;
    }
    FAIL("nothing was refused");
    return Error(Kind::bug, "");
}

Dataset read_csv(const std::string& text, int qubits = 4) {
    const test::Scratch scratch;
    replace_text(scratch.path("data.csv"), text);
    return read_dataset(scratch.path("data.csv"), qubits);
}

/// The message for a CSV text, without the folder: "data.csv:2:3: ...".
std::string csv_message(const std::string& text, int qubits = 4) {
    const test::Scratch scratch;
    replace_text(scratch.path("data.csv"), text);
    const Error error = error_of([&] { (void)read_dataset(scratch.path("data.csv"), qubits); });
    CHECK(error.kind() == Kind::usage);
    const std::string message = error.what();
    CHECK(message.starts_with(scratch.path("data.csv")));
    return message.substr(scratch.folder().size() + 1);
}

} // namespace

TEST_CASE("excitations: in every round each qubit once, labels by the angle", "[data]") {
    const int qubits = GENERATE(1, 2, 5, 8);
    const Dataset set = generate_excitations(qubits, 20, 7);
    REQUIRE(set.samples == static_cast<std::size_t>(20 * qubits));
    CHECK(set.columns.front() == "excitation_0");
    CHECK(set.columns.back() == format("excitation_{}", qubits - 1));
    CHECK(set.label_width == 1);
    for (std::size_t sample = 0; sample < set.samples; ++sample) {
        const auto excited = sample % static_cast<std::size_t>(qubits);
        for (std::size_t qubit = 0; qubit < set.columns.size(); ++qubit) {
            const double angle = set.row(sample)[qubit];
            if (qubit != excited) {
                CHECK(angle == 0.0);
                continue;
            }
            CHECK(std::abs(angle) < std::numbers::pi);
            CHECK(angle != 0.0);
            CHECK(set.label(sample)[0] == (std::abs(angle) <= std::numbers::pi / 2 ? 1.0 : -1.0));
        }
    }
}

TEST_CASE("excitations: angles fill the interval evenly, seeds differ", "[data]") {
    const Dataset set = generate_excitations(1, 4000, 1);
    std::vector<int> bins(8, 0);
    for (const double angle : set.features)
        ++bins[static_cast<std::size_t>((angle + std::numbers::pi) / (2 * std::numbers::pi) * 8)];
    // 500 expected in each bin, standard deviation 21: five of them.
    for (const int count : bins) CHECK(std::abs(count - 500) < 105);
    CHECK(generate_excitations(4, 3, 1).features == generate_excitations(4, 3, 1).features);
    CHECK(generate_excitations(4, 3, 1).features != generate_excitations(4, 3, 2).features);
}

TEST_CASE("data that cannot fit in memory are refused with both numbers", "[data]") {
    const Error error = error_of([] { (void)generate_excitations(1'000'000, 1'000'000, 1); });
    CHECK(error.kind() == Kind::environment);
    CHECK(std::string(error.what()).find("8000000000000000000 bytes") != std::string::npos);
}

TEST_CASE("csv: excitations become one column per qubit", "[data]") {
    const Dataset set = read_csv("excited_qubit,angle,label\n0,0.5,1\n3,-3.0,-1\n");
    CHECK(set.samples == 2);
    CHECK(set.columns ==
          std::vector<std::string>{"excitation_0", "excitation_1", "excitation_2", "excitation_3"});
    CHECK(set.features == std::vector<double>{0.5, 0, 0, 0, 0, 0, 0, -3.0});
    CHECK(set.labels == std::vector<double>{1, -1});
    const Dataset unlabelled = read_csv("angle,excited_qubit\n0.5,2\n");
    CHECK(unlabelled.label_width == 0);
    CHECK(unlabelled.features == std::vector<double>{0, 0, 0.5, 0});
}

TEST_CASE("csv: other files keep their feature columns in order", "[data]") {
    const Dataset set = read_csv("x,label_1,y,label_0\n1,2,3,4\n5,6,7,8\n");
    CHECK(set.columns == std::vector<std::string>{"x", "y"});
    CHECK(set.features == std::vector<double>{1, 3, 5, 7});
    CHECK(set.label_width == 2);
    CHECK(set.labels == std::vector<double>{4, 2, 8, 6});
    CHECK(read_csv("angle,label\n1,2\n").columns == std::vector<std::string>{"angle"});
    CHECK(read_csv("label_x,label_01\n1,2\n").columns ==
          std::vector<std::string>{"label_x", "label_01"});
}

TEST_CASE("csv: forms of a text that mean the same", "[data]") {
    const Dataset plain = read_csv("x,label\n1,2\n3,4\n");
    for (const std::string text :
         {"x,label\r\n1,2\r\n3,4\r\n", "\xef\xbb\xbfx,label\n1,2\n3,4\n", "x,label\n1,2\n3,4",
          "\n x , label \n\n 1 ,2\n  \n+3,4.0\n\n", "\"x\",\"label\"\n\"1\",2\n3,\"4\"\n"}) {
        const Dataset set = read_csv(text);
        INFO(text);
        CHECK(set.columns == plain.columns);
        CHECK(set.features == plain.features);
        CHECK(set.labels == plain.labels);
    }
    CHECK(read_csv("\"a \"\"b\"\", c\"\n1\n").columns == std::vector<std::string>{"a \"b\", c"});
    CHECK(read_csv("x\n1e-3\n-.5\n1E+2\n").features == std::vector<double>{1e-3, -0.5, 100});
}

TEST_CASE("csv: mistakes are refused with their place", "[data]") {
    CHECK(csv_message("") == "data.csv:1:1: a header line with column names is expected");
    CHECK(csv_message("\n \n") == "data.csv:1:1: a header line with column names is expected");
    CHECK(csv_message("x,label\n") == "data.csv: there are no samples in the file");
    CHECK(csv_message("x,label\n1,2\n3,abc\n") == "data.csv:3:3: 'abc' is not a number");
    CHECK(csv_message("x,label\n1,2\n3,\n") == "data.csv:3:3: '' is not a number");
    CHECK(csv_message("x,label\n1,0x10\n") == "data.csv:2:3: '0x10' is not a number");
    CHECK(csv_message("x,label\n1,2 3\n") == "data.csv:2:3: '2 3' is not a number");
    CHECK(csv_message("x,label\n1,1e999\n") == "data.csv:2:3: '1e999' is not a number");
    CHECK(csv_message("x,label\nnan,1\n") == "data.csv:2:1: numbers must be finite, not 'nan'");
    CHECK(csv_message("x,label\n1,-inf\n") == "data.csv:2:3: numbers must be finite, not '-inf'");
    CHECK(csv_message("x,label\n1\n") == "data.csv:2:2: the row has 1 cells, the header has 2");
    CHECK(csv_message("x,label\n1,2,3\n") == "data.csv:2:5: the row has 3 cells, the header has 2");
    CHECK(csv_message("x,y,x\n1,2,3\n") == "data.csv:1:5: the column 'x' occurs twice");
    CHECK(csv_message("x,,y\n1,2,3\n") == "data.csv:1:3: column 2 has no name");
    CHECK(csv_message("x,\"y\n1,2\n") == "data.csv:1:3: the quote is not closed");
    CHECK(csv_message("x,\"y\"z\n1,2\n") ==
          "data.csv:1:6: a comma is expected after a closing quote");
    CHECK(csv_message("\xc3\xa9,label\n1,x\n") == "data.csv:2:3: 'x' is not a number");
    CHECK(csv_message("\xc3\xa9,\n1,x\n") == "data.csv:1:3: column 2 has no name");
    CHECK(csv_message("x;label\n1;2\n") == "data.csv:2:1: '1;2' is not a number");
    CHECK(csv_message("label\n1\n") == "data.csv: the file has labels but no feature columns");
    CHECK(csv_message("x,label,label_0\n1,2,3\n") ==
          "data.csv:1:9: there are both 'label' and 'label_0'");
    CHECK(csv_message("x,label_0,label_2\n1,2,3\n") ==
          "data.csv:1:11: there is 'label_2' but no 'label_1'");
}

TEST_CASE("csv: excitations that do not fit the model are refused with their place", "[data]") {
    const std::string header = "excited_qubit,angle,label\n0,0.1,1\n";
    CHECK(csv_message(header + "4,0.1,1\n") ==
          "data.csv:3:1: excited_qubit 4 is out of range: the model has the qubits 0 to 3");
    CHECK(csv_message(header + "\n-1,0.1,1\n") ==
          "data.csv:4:1: excited_qubit -1 is out of range: the model has the qubits 0 to 3");
    CHECK(csv_message(header + "1.5,0.1,1\n") ==
          "data.csv:3:1: excited_qubit must be an integer, not 1.5");
    CHECK(csv_message("excited_qubit,angle,extra\n0,0.1,1\n") ==
          "data.csv:1:21: a file of excitations has no column 'extra', only excited_qubit, angle "
          "and label");
}

TEST_CASE("hdf5: the same excitations as CSV and as HDF5 are the same data set", "[data]") {
    const test::Scratch scratch;
    H5File file = H5File::create();
    file.write_integers("excited_qubit", std::vector<std::int64_t>{0, 3}, {2});
    file.write("angle", std::vector<double>{0.5, -3.0}, {2});
    file.write("label", std::vector<double>{1, -1}, {2}, Stored::float32);
    file.save(scratch.path("data.h5"));
    const Dataset set = read_dataset(scratch.path("data.h5"), 4);
    const Dataset same = read_csv("excited_qubit,angle,label\n0,0.5,1\n3,-3.0,-1\n");
    CHECK(set.columns == same.columns);
    CHECK(set.features == same.features);
    CHECK(set.labels == same.labels);
}

TEST_CASE("hdf5: features with and without names, labels of one or more numbers", "[data]") {
    const test::Scratch scratch;
    const std::vector<double> features{1, 2, 3, 4, 5, 6};
    H5File file = H5File::create();
    file.write("features", features, {3, 2});
    file.write("labels", std::vector<double>{7, 8, 9}, {3});
    file.save(scratch.path("data.h5"));
    Dataset set = read_dataset(scratch.path("data.h5"), 4);
    CHECK(set.columns == std::vector<std::string>{"feature_0", "feature_1"});
    CHECK(set.features == features);
    CHECK(set.labels == std::vector<double>{7, 8, 9});

    file = H5File::create();
    file.write("features", features, {2, 3});
    file.set_texts("features", "columns", {"x", "y", "z"});
    file.write("labels", std::vector<double>{1, 2, 3, 4}, {2, 2});
    file.save(scratch.path("data.h5"));
    set = read_dataset(scratch.path("data.h5"), 4);
    CHECK(set.columns == std::vector<std::string>{"x", "y", "z"});
    CHECK(set.features == features);
    CHECK(set.label_width == 2);
    CHECK(set.labels == std::vector<double>{1, 2, 3, 4});
}

TEST_CASE("hdf5: whole files that do not fit are usage errors, cut ones environment", "[data]") {
    const test::Scratch scratch;
    const std::string path = scratch.path("data.h5");
    const auto message = [&](const H5File& file) {
        file.save(path);
        const Error error = error_of([&] { (void)read_dataset(path, 4); });
        CHECK(error.kind() == Kind::usage);
        const std::string text = error.what();
        CHECK(text.find(path) != std::string::npos);
        return text;
    };
    const auto contains = [](const std::string& text, const std::string& part) {
        INFO(text);
        CHECK(text.find(part) != std::string::npos);
    };
    H5File file = H5File::create();
    contains(message(file), "neither the data sets");
    file.write("angle", std::vector<double>{1, 2}, {2});
    contains(message(file), "has no 'excited_qubit'");
    file.write("excited_qubit", std::vector<double>{1, 2, 3}, {3});
    contains(message(file), "'angle' has 2 rows");

    file = H5File::create();
    file.write("excited_qubit", std::vector<double>{1, 4}, {2});
    file.write("angle", std::vector<double>{1, 2}, {2});
    contains(message(file), "excited_qubit 4 is out of range");
    contains(message(file), "(row 1)");

    file = H5File::create();
    file.write("features", std::vector<double>{1, 2, 3, std::nan("")}, {2, 2});
    contains(message(file), "not finite (row 1)");
    file = H5File::create();
    file.write("features", std::vector<double>(8), {2, 2, 2});
    contains(message(file), "'features' has 3 dimensions");
    file = H5File::create();
    file.write("features", {}, {0, 2});
    contains(message(file), "there are no samples");
    file = H5File::create();
    file.write("features", std::vector<double>(4), {2, 2});
    file.set_texts("features", "columns", {"x"});
    contains(message(file), "its attribute 'columns' names 1");
    file = H5File::create();
    file.write("features", std::vector<double>(4), {2, 2});
    file.set_texts("features", "columns", {"x", "x"});
    contains(message(file), "the column 'x' occurs twice");
    file = H5File::create();
    file.write("features", std::vector<double>(4), {2, 2});
    file.write("labels", std::vector<double>(3), {3});
    contains(message(file), "'labels' has 3 rows");
    file = H5File::create();
    file.write_texts("features", {"a", "b"});
    contains(message(file), "does not hold numbers");

    const std::string image = file.image();
    for (const std::size_t size : {std::size_t{3}, std::size_t{100}, image.size() - 1}) {
        replace_text(path, image.substr(0, size));
        CHECK(error_of([&] { (void)read_dataset(path, 4); }).kind() == Kind::environment);
    }
    CHECK(error_of([&] { (void)read_dataset(path + ".none", 4); }).kind() == Kind::environment);
}

TEST_CASE("make_dataset: the source decides, and must fit the file", "[data]") {
    const test::Scratch scratch;
    DataOptions options;
    CHECK(error_of([&] { (void)make_dataset(options, 4); }).kind() == Kind::usage);
    options.source = "excitations";
    CHECK(make_dataset(options, 4).features == generate_excitations(4, 20, 1).features);
    options.source = "csv";
    CHECK(error_of([&] { (void)make_dataset(options, 4); }).kind() == Kind::usage);
    options.file = scratch.path("data");
    replace_text(options.file, "x,label\n1,2\n");
    CHECK(make_dataset(options, 4).samples == 1);
    options.source = "hdf5";
    CHECK(error_of([&] { (void)make_dataset(options, 4); }).kind() == Kind::environment);
    H5File file = H5File::create();
    file.write("features", std::vector<double>{1, 2}, {2, 1});
    file.save(options.file);
    CHECK(make_dataset(options, 4).samples == 2);
    options.source = "csv";
    CHECK(error_of([&] { (void)make_dataset(options, 4); }).kind() == Kind::usage);
}

TEST_CASE("train_rows: int(samples x fraction) in double arithmetic, or the count", "[data]") {
    DataOptions options;
    CHECK(train_rows(options, 160) == 112);
    // The product is cut, not rounded.
    CHECK(train_rows(options, 10) == 7);
    CHECK(train_rows(options, 90) == static_cast<std::size_t>(90 * 0.7));
    options.train_fraction = 1.0;
    CHECK(train_rows(options, 3) == 3);
    options.train_fraction = 0.3;
    CHECK(error_of([&] { (void)train_rows(options, 3); }).kind() == Kind::usage);
    options.train_count = 3;
    CHECK(train_rows(options, 3) == 3);
    CHECK(train_rows(options, 10) == 3);
    CHECK(error_of([&] { (void)train_rows(options, 2); }).kind() == Kind::usage);
}
