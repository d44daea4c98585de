/// Files that are replaced whole or not at all, streams of lines, and folders.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace wavetrain {

/// Replaces `path` by what `write` puts into the file whose name it is given: a temporary one,
/// `path` + ".tmp" (a stale one is replaced), which is flushed to disk and renamed; the folder is
/// flushed too. On any failure the temporary is removed and the old file stands. `environment`
/// errors name the path and the system's reason; what `write` throws is passed on.
void replace_file(const std::string& path,
                  const std::function<void(const std::string& temporary)>& write);

/// Replaces `path` by these bytes, as replace_file() does.
void replace_text(const std::string& path, std::string_view text);

/// All bytes of a file; an `environment` error if it cannot be read.
std::string read_text(const std::string& path);

/// The last bytes of a regular file, fewer if it is shorter; an `environment` error if it cannot be
/// read.
std::string read_end(const std::string& path, std::size_t bytes);

/// A stream of lines that is appended to; every line is handed to the system at once, so that a
/// killed program leaves at most one torn record at the end.
class AppendFile {
public:
    /// Opens the file, which is created if it is missing. A torn last record (no line end) is
    /// ended first, so that new lines stay whole. An `environment` error on failure.
    explicit AppendFile(const std::string& path);
    AppendFile(AppendFile&& other) noexcept;
    AppendFile& operator=(AppendFile&& other) noexcept;
    ~AppendFile();

    /// Writes `line` and a line end. An `environment` error on failure (a full disk); nothing of
    /// the line stands in the file then.
    void append(std::string_view line);

    /// Flushes what was appended to disk; from any thread. An `environment` error on failure.
    void flush();

private:
    std::string path_;
    int descriptor_ = -1;
};

/// The sole right to write into a folder, as long as it lives; the system takes it from a program
/// that dies. Where a file system has no such locks it is granted unasked.
class FolderLock {
public:
    /// Waits up to `patience_seconds` for another program; then a `usage` error.
    FolderLock(const std::string& folder, double patience_seconds);
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;
    ~FolderLock();

private:
    int descriptor_ = -1;
};

/// Creates a folder with its parents; nothing happens if it exists. An `environment` error names
/// the path.
void create_folders(const std::string& path);

/// Creates a folder in one that exists; nothing happens if it exists. An `environment` error names
/// the path.
void create_folder(const std::string& path);

/// Whether there is a file or folder of this name. Here and below an `environment` error if that
/// cannot be told: no permission, a disk or network that fails.
bool exists(const std::string& path);

/// Whether there is a file of this name that is no folder, pipe or device.
bool is_regular_file(const std::string& path);

/// Whether there is a folder of this name.
bool is_folder(const std::string& path);

/// Whether this name is a symbolic link, to whatever.
bool is_link(const std::string& path);

/// Whether both names are there and mean the same file or folder.
bool is_same_file(const std::string& a, const std::string& b);

/// Gives a file another name in the same file system; an `environment` error names the path.
void rename_file(const std::string& from, const std::string& to);

/// Removes a file, or a folder with all it holds; nothing happens if there is none. An
/// `environment` error names the path.
void remove_path(const std::string& path);

/// The names in a folder, sorted; an `environment` error if it cannot be read.
std::vector<std::string> list_folder(const std::string& path);

} // namespace wavetrain
