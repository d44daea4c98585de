/// A JSON value: built by the program, printed on one line or indented, read back.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wavetrain {

/// A JSON value with value semantics. Keys keep the order in which they were set; doubles are
/// printed so that they read back to the same double; NaN and infinities become null.
class Json {
public:
    Json(); ///< null
    Json(bool value);
    Json(int value);
    Json(std::int64_t value);
    Json(std::uint64_t value);
    Json(double value);
    Json(const char* value);
    Json(std::string_view value);
    Json(const std::string& value);
    Json(std::span<const double> values);
    Json(const std::vector<double>& values);
    Json(const std::vector<std::string>& values);
    Json(const std::vector<std::int64_t>& values);
    Json(const Json& other);
    Json(Json&& other) noexcept;
    Json& operator=(Json other) noexcept;
    ~Json();

    static Json object();
    static Json array();
    /// Reads a text; a `usage` error with file:line:column if it is no JSON.
    static Json parse(std::string_view text, const std::string& file = "");

    /// Sets a key of an object and returns the object.
    Json& set(std::string_view key, const Json& value);
    /// Appends to an array and returns the array.
    Json& push(const Json& value);

    bool has(std::string_view key) const;
    /// The value of a key; a `usage` error naming the key if it is missing.
    Json at(std::string_view key) const;
    Json at(std::size_t index) const;
    std::size_t size() const;
    bool is_null() const;
    /// Conversions; a `usage` error if the value is of another type.
    double number() const;
    std::int64_t integer() const;
    bool boolean() const;
    std::string text() const;
    std::vector<double> numbers() const;
    std::vector<std::string> texts() const;
    std::vector<std::string> keys() const;

    /// The text: one line where indent < 0.
    std::string dump(int indent = -1) const;

private:
    struct Node;
    explicit Json(Node node);
    std::unique_ptr<Node> node_;
};

} // namespace wavetrain
