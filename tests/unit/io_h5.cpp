/// HDF5 files: what is written is read back, the same calls give the same bytes, and files that are
/// missing, cut or of another kind are refused cleanly.
#include "catch.hpp"
#include "scratch.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/io/atomic_file.hpp"
#include "wavetrain/io/file_kind.hpp"
#include "wavetrain/io/h5.hpp"

#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace wavetrain;

namespace {

H5File example() {
    H5File file = H5File::create();
    file.set_text("/", "backend", "wavetrain");
    file.set_texts("/", "layer_names", {"pqc", "dense", ""});
    file.create_group("/empty");
    file.set_texts("/empty", "weight_names", {});
    const std::vector<double> numbers{0.1, -2.5, 1e300, 3.0, 1e-300, 0.0};
    file.write("/pqc/parameters:0", numbers, {2, 3});
    file.write("/pqc/rounded", numbers, {6}, Stored::float32);
    file.write("/scalar", std::vector<double>{4.25}, {});
    file.write("/nothing", {}, {0, 3});
    file.write_integers("/counts", std::vector<std::int64_t>{-1, std::int64_t{1} << 62}, {2});
    file.write_texts("/texts", {"first", "", "two\nlines", "caf\xc3\xa9"});
    file.set_number("/pqc", "rate", 0.1);
    file.set_integer("/pqc", "version", 3);
    file.set_text("/pqc", "config", "[model]\nkind = \"qcnn\"\n");
    return file;
}

Error error_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error;
    }
    FAIL("nothing was refused");
    return Error(Kind::bug, "");
}

bool mentions(const Error& error, const std::string& text) {
    return std::string(error.what()).find(text) != std::string::npos;
}

} // namespace

TEST_CASE("an image is read as the file is, a cut one is refused", "[io]") {
    const std::string image = example().image();
    const H5File file = H5File::open_image("given name", image);
    CHECK(file.path() == "given name");
    CHECK(file.image() == image);
    CHECK(file.read("/pqc/parameters:0") == example().read("/pqc/parameters:0"));
    for (const std::size_t size : {std::size_t{1}, image.size() / 2}) try {
            (void)H5File::open_image("cut", std::string_view(image).substr(0, size));
            FAIL("accepted");
        } catch (const Error& error) {
            CHECK(error.kind() == Kind::environment);
            CHECK(std::string(error.what()).find("cut") != std::string::npos);
        }
}

TEST_CASE("h5: what is written is read back", "[io]") {
    const test::Scratch scratch;
    example().save(scratch.path("example.h5"));
    const H5File file = H5File::open(scratch.path("example.h5"));

    CHECK(file.read("/pqc/parameters:0") ==
          std::vector<double>{0.1, -2.5, 1e300, 3.0, 1e-300, 0.0});
    CHECK(file.shape("/pqc/parameters:0") == std::vector<std::size_t>{2, 3});
    const std::vector<double> rounded = file.read("pqc/rounded");
    CHECK(rounded[0] == static_cast<double>(0.1f));
    CHECK(std::isinf(rounded[2]));
    CHECK(rounded[4] == 0.0);
    CHECK(file.shape("/scalar").empty());
    CHECK(file.read("/scalar") == std::vector<double>{4.25});
    CHECK(file.shape("/nothing") == std::vector<std::size_t>{0, 3});
    CHECK(file.read("/nothing").empty());
    CHECK(file.read_integers("/counts") == std::vector<std::int64_t>{-1, std::int64_t{1} << 62});
    CHECK(file.read_texts("/texts") ==
          std::vector<std::string>{"first", "", "two\nlines", "caf\xc3\xa9"});

    CHECK(file.text("/", "backend") == "wavetrain");
    CHECK(file.texts("/", "layer_names") == std::vector<std::string>{"pqc", "dense", ""});
    CHECK(file.texts("/empty", "weight_names").empty());
    CHECK(file.number("/pqc", "rate") == 0.1);
    CHECK(file.number("/pqc", "version") == 3.0);
    CHECK(file.integer("/pqc", "version") == 3);
    CHECK(file.text("/pqc", "config") == "[model]\nkind = \"qcnn\"\n");
    CHECK(file.has_attribute("/pqc", "rate"));
    CHECK_FALSE(file.has_attribute("/pqc", "rates"));
}

TEST_CASE("h5: members and kinds of objects", "[io]") {
    const H5File file = example();
    CHECK(file.members("/") ==
          std::vector<std::string>{"counts", "empty", "nothing", "pqc", "scalar", "texts"});
    CHECK(file.members("/empty").empty());
    CHECK(file.has("/"));
    CHECK(file.has("/pqc/parameters:0"));
    CHECK(file.has("pqc"));
    CHECK_FALSE(file.has("p"));
    CHECK_FALSE(file.has("/pqc/other"));
    CHECK_FALSE(file.has("/other/deeper/still"));
    CHECK_FALSE(file.has("/scalar/deeper"));
    CHECK(file.is_group("/pqc"));
    CHECK_FALSE(file.is_group("/scalar"));
    CHECK(file.is_dataset("/scalar"));
    CHECK_FALSE(file.is_dataset("/missing"));
}

TEST_CASE("h5: two files in memory are two files", "[io]") {
    H5File first = H5File::create();
    H5File second = H5File::create();
    first.set_text("/", "name", "first");
    second.set_text("/", "name", "second");
    CHECK(first.text("/", "name") == "first");
    CHECK(second.text("/", "name") == "second");
}

TEST_CASE("h5: many texts fit into an array of texts", "[io]") {
    std::vector<std::string> texts;
    for (int index = 0; index < 6000; ++index) texts.push_back(format("symbol_{}", index));
    H5File file = H5File::create();
    file.write_texts("/symbols", texts);
    CHECK(file.read_texts("/symbols") == texts);
    const Error error = error_of([&] { file.set_texts("/", "symbols", texts); });
    CHECK(error.kind() == Kind::environment);
    CHECK(mentions(error, "symbols"));
}

TEST_CASE("h5: the same calls give the same bytes", "[io]") {
    CHECK(example().image() == example().image());
}

TEST_CASE("h5: the same calls give the same bytes in another second", "[io][slow]") {
    const std::string before = example().image();
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    CHECK(example().image() == before);
}

TEST_CASE("h5: what is not there or does not fit is a usage error with names", "[io]") {
    const test::Scratch scratch;
    const std::string path = scratch.path("example.h5");
    example().save(path);
    const H5File file = H5File::open(path);
    const auto refused = [&](const std::function<void()>& action, const std::string& text) {
        const Error error = error_of(action);
        CHECK(error.kind() == Kind::usage);
        CHECK(mentions(error, path));
        INFO(error.what());
        CHECK(mentions(error, text));
    };
    refused([&] { (void)file.read("/missing"); }, "has no '/missing'");
    refused([&] { (void)file.read("/pqc"); }, "'/pqc'");
    refused([&] { (void)file.read("/texts"); }, "does not hold numbers");
    refused([&] { (void)file.read_texts("/scalar"); }, "does not hold texts");
    refused([&] { (void)file.read_integers("/scalar"); }, "does not hold integers");
    refused([&] { (void)file.members("/scalar"); }, "is not a group");
    refused([&] { (void)file.text("/", "missing"); }, "no attribute 'missing'");
    refused([&] { (void)file.text("/pqc", "rate"); }, "'rate' that is not a text");
    refused([&] { (void)file.text("/", "layer_names"); }, "'layer_names' that is not a text");
    refused([&] { (void)file.texts("/pqc", "rate"); }, "'rate' that is not a list of texts");
    refused([&] { (void)file.number("/pqc", "config"); }, "'config' that is not one number");
    refused([&] { (void)file.integer("/pqc", "rate"); }, "'rate' that is not one integer");
}

TEST_CASE("h5: a missing file, a folder and other files are environment errors", "[io]") {
    const test::Scratch scratch;
    replace_text(scratch.path("text.h5"), "excited_qubit,angle,label\n");
    for (const std::string name : {"missing.h5", "text.h5", "."}) {
        const Error error = error_of([&] { (void)H5File::open(scratch.path(name)); });
        CHECK(error.kind() == Kind::environment);
        CHECK(mentions(error, scratch.path(name)));
    }
    CHECK(mentions(error_of([&] { (void)H5File::open(scratch.path("missing.h5")); }),
                   "No such file"));
    CHECK(mentions(error_of([&] { (void)H5File::open(scratch.path("text.h5")); }),
                   "not an HDF5 file"));
}

TEST_CASE("h5: a file cut at any length is a clean environment error", "[io]") {
    const test::Scratch scratch;
    const std::string whole = example().image();
    const std::string path = scratch.path("cut.h5");
    for (std::size_t size = 0; size < whole.size(); size += size < 200 ? 1 : 97) {
        replace_text(path, whole.substr(0, size));
        const Error error = error_of([&] { (void)H5File::open(path); });
        INFO("cut at " << size << ": " << error.what());
        CHECK(error.kind() == Kind::environment);
        CHECK(mentions(error, path));
    }
}

TEST_CASE("h5: a refused lock names the file and the variable that helps", "[io]") {
    const test::Scratch scratch;
    const std::string path = scratch.path("locked.h5");
    example().save(path);
    const int descriptor = ::open(path.c_str(), O_RDWR);
    REQUIRE(::flock(descriptor, LOCK_EX) == 0);
    const Error error = error_of([&] { (void)H5File::open(path); });
    ::close(descriptor);
    CHECK(error.kind() == Kind::environment);
    INFO(error.what());
    CHECK(mentions(error, path));
    CHECK(mentions(error, "HDF5_USE_FILE_LOCKING"));
}

TEST_CASE("h5: an array that cannot fit in memory is refused before it is read", "[io]") {
    const test::Scratch scratch;
    const std::string path = scratch.path("huge.h5");
    H5File file = H5File::create();
    file.write("/numbers", std::vector<double>(6), {6});
    std::string bytes = file.image();
    // The size stands in the file as a little-endian 64-bit number, as does the size in bytes.
    const std::string six("\x06\0\0\0\0\0\0\0", 8);
    for (std::size_t at = bytes.find(six); at != std::string::npos; at = bytes.find(six, at + 8))
        bytes.replace(at, 8, std::string("\0\0\0\0\0\0\0\x40", 8));
    replace_text(path, bytes);
    const Error error = error_of([&] { (void)H5File::open(path).read("/numbers"); });
    INFO(error.what());
    CHECK(error.kind() == Kind::environment);
}

TEST_CASE("file_kind: HDF5, text and anything else", "[io]") {
    const test::Scratch scratch;
    const std::string path = scratch.path("file");
    const auto kind_of = [&](const std::string& bytes) {
        replace_text(path, bytes);
        return file_kind(path);
    };
    CHECK(kind_of(example().image()) == FileKind::hdf5);
    CHECK(kind_of("") == FileKind::text);
    CHECK(kind_of("a,b\r\n1,2\r\n") == FileKind::text);
    CHECK(kind_of("\xef\xbb\xbf"
                  "caf\xc3\xa9,label\n") == FileKind::text);
    CHECK(kind_of("\x89HDF") == FileKind::binary);
    CHECK(kind_of(std::string("a\0b", 3)) == FileKind::binary);
}
