/// Files that are replaced whole or not at all, streams of lines, and folders.
#include "wavetrain/io/atomic_file.hpp"

#include "wavetrain/base/error.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace wavetrain {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail_io(std::string_view what, const std::string& path, int error) {
    fail(Kind::environment, "cannot {} '{}': {}", what, path, std::strerror(error));
}

/// An open file; closed at the end of the scope.
class Descriptor {
public:
    explicit Descriptor(int value) : value_(value) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (value_ >= 0) ::close(value_);
    }
    int get() const { return value_; }
    /// Closes now and tells whether that worked: some file systems report a full disk only here.
    bool close() { return ::close(std::exchange(value_, -1)) == 0; }

private:
    int value_;
};

void write_all(int descriptor, std::string_view bytes, const std::string& path) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0) {
            if (errno == EINTR) continue;
            fail_io("write", path, errno);
        }
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

void flush_to_disk(const std::string& path, int flags, const std::string& named) {
    Descriptor file(::open(path.c_str(), flags | O_CLOEXEC));
    if (file.get() < 0) fail_io("open", named, errno);
    // Some file systems know no fsync on folders (EINVAL): there is nothing more to do then.
    if (::fsync(file.get()) != 0 && errno != EINVAL) fail_io("flush to disk", named, errno);
}

/// What there is of this name. What cannot be told is not taken for missing.
fs::file_type type_of(const std::string& path) {
    std::error_code error;
    const fs::file_type type = fs::status(path, error).type();
    if (type == fs::file_type::none)
        fail(Kind::environment, "cannot look at '{}': {}", path, error.message());
    return type;
}

std::string folder_of(const std::string& path) {
    const std::string folder = fs::path(path).parent_path().string();
    return folder.empty() ? "." : folder;
}

} // namespace

void replace_file(const std::string& path,
                  const std::function<void(const std::string& temporary)>& write) {
    const std::string temporary = path + ".tmp";
    try {
        write(temporary);
        flush_to_disk(temporary, O_RDONLY, path);
        if (std::rename(temporary.c_str(), path.c_str()) != 0) fail_io("write", path, errno);
    } catch (...) {
        std::remove(temporary.c_str());
        throw;
    }
    flush_to_disk(folder_of(path), O_RDONLY | O_DIRECTORY, folder_of(path));
}

void replace_text(const std::string& path, std::string_view text) {
    replace_file(path, [&](const std::string& temporary) {
        Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
        if (file.get() < 0) fail_io("write", path, errno);
        write_all(file.get(), text, path);
        if (!file.close()) fail_io("write", path, errno);
    });
}

std::string read_text(const std::string& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) fail_io("read", path, errno);
    std::string text;
    std::string buffer(std::size_t{1} << 16, '\0');
    while (true) {
        const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
        if (count < 0) {
            if (errno == EINTR) continue;
            fail_io("read", path, errno);
        }
        if (count == 0) return text;
        text.append(buffer.data(), static_cast<std::size_t>(count));
    }
}

std::string read_end(const std::string& path, std::size_t bytes) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) fail_io("read", path, errno);
    const off_t size = ::lseek(file.get(), 0, SEEK_END);
    if (size < 0) fail_io("read", path, errno);
    std::string text(std::min(bytes, static_cast<std::size_t>(size)), '\0');
    const ssize_t count =
        ::pread(file.get(), text.data(), text.size(), size - static_cast<off_t>(text.size()));
    if (count < 0) fail_io("read", path, errno);
    text.resize(static_cast<std::size_t>(count));
    return text;
}

AppendFile::AppendFile(const std::string& path)
    : path_(path),
      descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) fail_io("append to", path, errno);
    // From here on the destructor does not run if something throws: close by hand.
    const off_t size = ::lseek(descriptor_, 0, SEEK_END);
    char last = '\n';
    if (size > 0 && ::pread(descriptor_, &last, 1, size - 1) == 1 && last != '\n' &&
        ::write(descriptor_, "\n", 1) != 1) {
        const int error = errno;
        ::close(descriptor_);
        fail_io("append to", path, error);
    }
}

AppendFile::AppendFile(AppendFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

AppendFile& AppendFile::operator=(AppendFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

AppendFile::~AppendFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

void AppendFile::append(std::string_view line) {
    std::string record(line);
    record += '\n';
    const off_t before = ::lseek(descriptor_, 0, SEEK_END);
    try {
        write_all(descriptor_, record, path_);
    } catch (...) {
        // Nothing of it rather than half of it; where that fails too, readers skip the half.
        [[maybe_unused]] const int undone = ::ftruncate(descriptor_, before);
        throw;
    }
}

void AppendFile::flush() {
    if (::fsync(descriptor_) != 0 && errno != EINVAL) fail_io("flush to disk", path_, errno);
}

FolderLock::FolderLock(const std::string& folder, double patience_seconds)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    constexpr std::chrono::milliseconds kPause{20};
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::duration<double>(patience_seconds);
    while (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) return;
        if (std::chrono::steady_clock::now() >= end) {
            ::close(descriptor_);
            fail(Kind::usage, "the folder '{}' is in use: another program writes into it", folder);
        }
        std::this_thread::sleep_for(kPause);
    }
}

FolderLock::~FolderLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

void create_folders(const std::string& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (!error && !fs::is_directory(path, error) && !error)
        error = std::make_error_code(std::errc::not_a_directory);
    if (error) fail(Kind::environment, "cannot create the folder '{}': {}", path, error.message());
}

void create_folder(const std::string& path) {
    std::error_code error;
    fs::create_directory(path, error);
    if (error) fail(Kind::environment, "cannot create the folder '{}': {}", path, error.message());
}

bool exists(const std::string& path) { return type_of(path) != fs::file_type::not_found; }

bool is_regular_file(const std::string& path) { return type_of(path) == fs::file_type::regular; }

bool is_folder(const std::string& path) { return type_of(path) == fs::file_type::directory; }

bool is_link(const std::string& path) {
    std::error_code error;
    return fs::is_symlink(path, error);
}

bool is_same_file(const std::string& a, const std::string& b) {
    std::error_code error;
    return fs::equivalent(a, b, error);
}

void rename_file(const std::string& from, const std::string& to) {
    if (std::rename(from.c_str(), to.c_str()) != 0) fail_io("rename", from, errno);
}

void remove_path(const std::string& path) {
    std::error_code error;
    fs::remove_all(path, error);
    if (error) fail(Kind::environment, "cannot remove '{}': {}", path, error.message());
}

std::vector<std::string> list_folder(const std::string& path) {
    std::error_code error;
    std::vector<std::string> names;
    for (fs::directory_iterator entry(path, error), end; !error && entry != end;
         entry.increment(error))
        names.push_back(entry->path().filename().string());
    if (error) fail(Kind::environment, "cannot read the folder '{}': {}", path, error.message());
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace wavetrain
