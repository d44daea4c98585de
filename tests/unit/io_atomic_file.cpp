/// Atomic replacement of files, streams of lines, folders: what stands after success and failure.
#include "catch.hpp"
#include "scratch.hpp"

#include "wavetrain/base/error.hpp"
#include "wavetrain/io/atomic_file.hpp"

#include <stdexcept>

using namespace wavetrain;

namespace {

template <class Action> std::string environment_message(Action action) {
    try {
        action();
    } catch (const Error& error) {
        CHECK(error.kind() == Kind::environment);
        return error.what();
    }
    return "nothing was refused";
}

} // namespace

TEST_CASE("replace_file: the new file stands, the temporary is gone", "[io]") {
    const test::Scratch scratch;
    const std::string path = scratch.path("file");
    replace_text(path, "old");
    CHECK(read_text(path) == "old");
    replace_text(path, std::string("new\0bytes", 9));
    CHECK(read_text(path) == std::string("new\0bytes", 9));
    CHECK(list_folder(scratch.folder()) == std::vector<std::string>{"file"});
}

TEST_CASE("replace_file: after a failure the old file stands and nothing else", "[io]") {
    const test::Scratch scratch;
    const std::string path = scratch.path("file");
    replace_text(path, "old");
    CHECK_THROWS_AS(replace_file(path,
                                 [](const std::string& temporary) {
                                     replace_text(temporary, "half");
                                     throw std::runtime_error("broken off");
                                 }),
                    std::runtime_error);
    CHECK(read_text(path) == "old");
    CHECK(list_folder(scratch.folder()) == std::vector<std::string>{"file"});
}

TEST_CASE("replace_file: a stale temporary is replaced", "[io]") {
    const test::Scratch scratch;
    replace_text(scratch.path("file.tmp"), "a much longer text of a killed program");
    replace_text(scratch.path("file"), "new");
    CHECK(read_text(scratch.path("file")) == "new");
    CHECK(list_folder(scratch.folder()) == std::vector<std::string>{"file"});
}

TEST_CASE("replace_text: errors name the path and the reason", "[io]") {
    const test::Scratch scratch;
    const std::string inside = scratch.path("missing/file");
    const std::string message = environment_message([&] { replace_text(inside, "x"); });
    CHECK(message == "cannot write '" + inside + "': No such file or directory");

    create_folders(scratch.path("folder"));
    CHECK(environment_message([&] {
              replace_text(scratch.path("folder"), "x");
          }).find(scratch.path("folder")) != std::string::npos);
    CHECK(list_folder(scratch.folder()) == std::vector<std::string>{"folder"});
}

TEST_CASE("replace_file: a full disk is an environment error", "[io]") {
    if (!exists("/dev/full")) return;
    AppendFile full("/dev/full");
    CHECK(environment_message([&] { full.append("line"); }) ==
          "cannot write '/dev/full': No space left on device");
}

TEST_CASE("read_text: a missing file and a folder are environment errors", "[io]") {
    const test::Scratch scratch;
    CHECK(environment_message([&] { (void)read_text(scratch.path("none")); }) ==
          "cannot read '" + scratch.path("none") + "': No such file or directory");
    CHECK(environment_message([&] { (void)read_text(scratch.folder()); }) ==
          "cannot read '" + scratch.folder() + "': Is a directory");
}

TEST_CASE("AppendFile: lines stand in the file at once, later openings go on", "[io]") {
    const test::Scratch scratch;
    const std::string path = scratch.path("stream");
    {
        AppendFile stream(path);
        stream.append("one");
        CHECK(read_text(path) == "one\n");
        AppendFile moved(std::move(stream));
        moved.append("two");
    }
    AppendFile(path).append("three");
    CHECK(read_text(path) == "one\ntwo\nthree\n");
}

TEST_CASE("AppendFile: a torn last record is ended, new lines stay whole", "[io]") {
    const test::Scratch scratch;
    const std::string path = scratch.path("stream");
    replace_text(path, "one\n{\"event\": \"st");
    AppendFile(path).append("two");
    CHECK(read_text(path) == "one\n{\"event\": \"st\ntwo\n");
}

TEST_CASE("FolderLock: one at a time, free again afterwards", "[io]") {
    const test::Scratch scratch;
    {
        const FolderLock lock(scratch.folder(), 0.0);
        try {
            const FolderLock second(scratch.folder(), 0.1);
            FAIL("granted twice");
        } catch (const Error& error) {
            CHECK(error.kind() == Kind::usage);
            CHECK(std::string(error.what()).find("is in use") != std::string::npos);
        }
        const FolderLock missing(scratch.path("none"), 0.0); // nothing to protect
    }
    const FolderLock again(scratch.folder(), 0.0);
    CHECK(list_folder(scratch.folder()).empty());
}

TEST_CASE("folders: created with parents, listed in order, removed with all they hold", "[io]") {
    const test::Scratch scratch;
    const std::string deep = scratch.path("a/b/c");
    create_folders(deep);
    create_folders(deep);
    CHECK(is_folder(deep));
    replace_text(deep + "/2", "");
    replace_text(deep + "/1", "");
    CHECK(list_folder(deep) == std::vector<std::string>{"1", "2"});
    remove_path(scratch.path("a"));
    CHECK_FALSE(exists(scratch.path("a")));
    remove_path(scratch.path("a"));
    replace_text(scratch.path("file"), "");
    CHECK(environment_message([&] {
              create_folders(scratch.path("file/inner"));
          }).find("cannot create the folder") != std::string::npos);
    CHECK(environment_message([&] {
              create_folders(scratch.path("file"));
          }).find("cannot create the folder") != std::string::npos);
    CHECK_FALSE(is_folder(scratch.path("file")));
    create_folder(scratch.path("one"));
    create_folder(scratch.path("one"));
    CHECK(is_folder(scratch.path("one")));
    CHECK(environment_message([&] {
              create_folder(scratch.path("none/inner"));
          }).find("cannot create the folder") != std::string::npos);
    CHECK_FALSE(exists(scratch.path("none")));
}
