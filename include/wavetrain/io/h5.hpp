/// HDF5 files: groups, arrays of numbers, texts and attributes; the one door to the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wavetrain {

/// The library's version, "1.10.8".
std::string hdf5_version();

/// How numbers lie on disk; in memory they are always double.
enum class Stored { float32, float64 };

/// An HDF5 file: built in memory and saved whole, or opened to be read. Objects are named by paths
/// ("/pqc/parameters:0"; the leading slash may be left out, "/" is the root group).
///
/// Errors: a file that is missing, cut, damaged or no HDF5 is `environment`, with the file, the
/// object and the reason; an object or attribute that is not there, or is of another type or
/// shape than asked for, is `usage`. All functions may be called from any thread.
class H5File {
public:
    /// A new file in memory. The same calls give the same bytes, at any time: no time stamps.
    static H5File create();
    /// Opens a file to be read.
    static H5File open(const std::string& path);
    /// Opens the bytes of a file to be read; `name` is what messages call it. Takes no lock.
    static H5File open_image(const std::string& name, std::string_view bytes);

    H5File(H5File&&) noexcept;
    H5File& operator=(H5File&&) noexcept;
    ~H5File();

    /// The file's name as opened; "memory" for a new one.
    const std::string& path() const;

    /// The bytes of a file made by create().
    std::string image() const;
    /// Writes a file made by create() to `path`, atomically as replace_file() does.
    void save(const std::string& path) const;

    /// Creates a group with its parents; nothing happens if it exists.
    void create_group(const std::string& group);
    /// Creates an array; `values` in C order, as many as the product of `shape` (none: a scalar).
    /// float32 rounds to nearest.
    void write(const std::string& dataset, std::span<const double> values,
               const std::vector<std::size_t>& shape, Stored stored = Stored::float64);
    /// Creates an array of 64-bit integers.
    void write_integers(const std::string& dataset, std::span<const std::int64_t> values,
                        const std::vector<std::size_t>& shape);
    /// Creates a list of texts, of any length and number, in fields of one length (a damaged file
    /// cannot lead a reader astray there, as it can with variable-length texts).
    void write_texts(const std::string& dataset, const std::vector<std::string>& texts);

    bool has(const std::string& object) const;
    bool is_group(const std::string& object) const;
    bool is_dataset(const std::string& object) const;
    /// The names of the members of a group, in the order of their bytes.
    std::vector<std::string> members(const std::string& group) const;
    std::vector<std::size_t> shape(const std::string& dataset) const;
    /// All numbers of an array of any float or integer type, in C order.
    std::vector<double> read(const std::string& dataset) const;
    /// All numbers of an array of an integer type (a `usage` error if it is of another).
    std::vector<std::int64_t> read_integers(const std::string& dataset) const;
    /// A list of texts, fixed or variable length, ASCII or UTF-8.
    std::vector<std::string> read_texts(const std::string& dataset) const;

    /// Attributes of an object (created once; texts are variable-length, ASCII where they can be,
    /// a list with more than about 4,000 texts is refused by HDF5: use write_texts()).
    void set_text(const std::string& object, const std::string& name, std::string_view text);
    void set_texts(const std::string& object, const std::string& name,
                   const std::vector<std::string>& texts);
    void set_number(const std::string& object, const std::string& name, double value);
    void set_integer(const std::string& object, const std::string& name, std::int64_t value);

    bool has_attribute(const std::string& object, const std::string& name) const;
    std::string text(const std::string& object, const std::string& name) const;
    /// A list of texts; an empty list may be of any type (h5py writes empty lists as float64).
    std::vector<std::string> texts(const std::string& object, const std::string& name) const;
    double number(const std::string& object, const std::string& name) const;
    std::int64_t integer(const std::string& object, const std::string& name) const;

private:
    struct Body;
    static H5File in_memory(const std::string& path, std::string_view image);
    explicit H5File(std::unique_ptr<Body> body);
    std::unique_ptr<Body> body_;
};

} // namespace wavetrain
