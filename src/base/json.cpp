/// JSON: the one place for nlohmann-json.
#include "wavetrain/base/json.hpp"

#include "wavetrain/base/error.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace wavetrain {

struct Json::Node {
    nlohmann::ordered_json value;
};

Json::Json() : node_(std::make_unique<Node>()) {}
Json::Json(bool value) : Json(Node{value}) {}
Json::Json(int value) : Json(Node{value}) {}
Json::Json(std::int64_t value) : Json(Node{value}) {}
Json::Json(std::uint64_t value) : Json(Node{value}) {}
Json::Json(double value) : Json(Node{value}) {}
Json::Json(const char* value) : Json(Node{std::string(value)}) {}
Json::Json(std::string_view value) : Json(Node{std::string(value)}) {}
Json::Json(const std::string& value) : Json(Node{value}) {}
Json::Json(std::span<const double> values)
    : Json(Node{std::vector<double>(values.begin(), values.end())}) {}
Json::Json(const std::vector<double>& values) : Json(Node{values}) {}
Json::Json(const std::vector<std::string>& values) : Json(Node{values}) {}
Json::Json(const std::vector<std::int64_t>& values) : Json(Node{values}) {}
Json::Json(const Json& other) : Json(Node{other.node_->value}) {}
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(Json other) noexcept {
    node_.swap(other.node_);
    return *this;
}
Json::~Json() = default;
Json::Json(Node node) : node_(std::make_unique<Node>(std::move(node))) {}

Json Json::object() { return Json(Node{nlohmann::ordered_json::object()}); }
Json Json::array() { return Json(Node{nlohmann::ordered_json::array()}); }

Json Json::parse(std::string_view text, const std::string& file) {
    try {
        return Json(Node{nlohmann::ordered_json::parse(text)});
    } catch (const nlohmann::json::parse_error& error) {
        const std::size_t end = std::min<std::size_t>(error.byte, text.size());
        const std::string_view before = text.substr(0, end);
        const int line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
        const std::size_t newline = before.rfind('\n');
        const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
        fail_at({file, line, static_cast<int>(std::max<std::size_t>(end - start, 1))}, Kind::usage,
                "not valid JSON");
    } catch (const nlohmann::json::out_of_range&) {
        fail_at({file, 0, 0}, Kind::usage, "not valid JSON: a number beyond the largest double");
    }
}

Json& Json::set(std::string_view key, const Json& value) {
    node_->value[std::string(key)] = value.node_->value;
    return *this;
}

Json& Json::push(const Json& value) {
    node_->value.push_back(value.node_->value);
    return *this;
}

bool Json::has(std::string_view key) const {
    return node_->value.is_object() && node_->value.contains(std::string(key));
}

Json Json::at(std::string_view key) const {
    if (!has(key)) fail(Kind::usage, "JSON: key '{}' is missing", key);
    return Json(Node{node_->value[std::string(key)]});
}

Json Json::at(std::size_t index) const {
    if (!node_->value.is_array() || index >= node_->value.size())
        fail(Kind::usage, "JSON: no element {}", index);
    return Json(Node{node_->value[index]});
}

std::size_t Json::size() const { return node_->value.size(); }
bool Json::is_null() const { return node_->value.is_null(); }

namespace {

template <class T> T convert(const nlohmann::ordered_json& value, const char* wanted) {
    try {
        return value.get<T>();
    } catch (const nlohmann::json::exception&) {
        fail(Kind::usage, "JSON: expected {}, found {}", wanted, value.dump().substr(0, 60));
    }
}

} // namespace

double Json::number() const { return convert<double>(node_->value, "a number"); }
std::int64_t Json::integer() const { return convert<std::int64_t>(node_->value, "an integer"); }
bool Json::boolean() const { return convert<bool>(node_->value, "true or false"); }
std::string Json::text() const { return convert<std::string>(node_->value, "a string"); }
std::vector<double> Json::numbers() const {
    return convert<std::vector<double>>(node_->value, "a list of numbers");
}
std::vector<std::string> Json::texts() const {
    return convert<std::vector<std::string>>(node_->value, "a list of strings");
}

std::vector<std::string> Json::keys() const {
    std::vector<std::string> names;
    if (node_->value.is_object())
        for (const auto& item : node_->value.items()) names.push_back(item.key());
    return names;
}

std::string Json::dump(int indent) const {
    return node_->value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace wavetrain
