/// Text, errors, hashes, JSON and parallel loops.
#include "catch.hpp"
#include "wavetrain/base/error.hpp"
#include "wavetrain/base/hash.hpp"
#include "wavetrain/base/json.hpp"
#include "wavetrain/base/parallel.hpp"
#include "wavetrain/base/random.hpp"
#include "wavetrain/base/text.hpp"

#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <new>

using namespace wavetrain;

namespace {

/// The Error that `body` throws; fails the test if it throws none.
template <class Body> Error error_of(Body&& body) {
    try {
        body();
    } catch (const Error& error) {
        return error;
    }
    FAIL("no Error was thrown");
    return Error(Kind::bug, "");
}

} // namespace

TEST_CASE("split and trim", "[base]") {
    CHECK(split("a,b,,c", ',') == std::vector<std::string>{"a", "b", "", "c"});
    CHECK(split("", ',') == std::vector<std::string>{""});
    CHECK(split("a,", ',') == std::vector<std::string>{"a", ""});
    CHECK(trim(" \t a b\r\n") == "a b");
    CHECK(trim(" \n ").empty());
}

TEST_CASE("numbers are read whole or not at all", "[base]") {
    CHECK(parse_double(" +1.5e3 ") == 1500.0);
    CHECK(parse_double("-0.1") == -0.1);
    CHECK(std::isnan(parse_double("nan").value()));
    CHECK(std::isinf(parse_double("inf").value()));
    for (const char* text : {"", " ", "1.5x", "1,5", "one", "0x10", "1 2"}) {
        INFO(text);
        CHECK_FALSE(parse_double(text).has_value());
        CHECK_FALSE(parse_integer(text).has_value());
    }
    CHECK(parse_integer(" -42 ") == -42);
    CHECK(parse_integer("9223372036854775807") == std::numeric_limits<long long>::max());
    CHECK_FALSE(parse_integer("9223372036854775808").has_value());
    CHECK_FALSE(parse_integer("1.0").has_value());
}

TEST_CASE("a slip finds the name that was meant, other words do not", "[base]") {
    const std::vector<std::string> names = {"learning_rate", "epsilon", "beta_1", "beta_2"};
    CHECK(nearest_name("learning_rat", names) == "learning_rate");
    CHECK(nearest_name("epsilno", names) == "epsilon");
    CHECK(nearest_name("beta_3", names) == "beta_1");
    CHECK_FALSE(nearest_name("momentum", names).has_value());
    CHECK(suggestion("epsilo", names) == " (did you mean 'epsilon'?)");
    CHECK(suggestion("momentum", names).empty());
}

TEST_CASE("doubles keep all their bits as text and as JSON", "[base]") {
    const auto check = [](double value) {
        const auto bits = std::bit_cast<std::uint64_t>(value);
        CHECK(std::bit_cast<std::uint64_t>(parse_double(shortest(value)).value()) == bits);
        const Json back = Json::parse(Json(value).dump());
        CHECK(std::bit_cast<std::uint64_t>(back.number()) == bits);
    };
    for (const double value :
         {0.1, 1.0 / 3.0, 1e23, 5e-324, std::numeric_limits<double>::max(), 123456789.0, -2.5e-7})
        check(value);
    for (std::uint64_t i = 0; i < 1000; ++i) {
        const double value = std::bit_cast<double>(random_bits(5, Purpose::checks, i));
        if (std::isfinite(value)) check(value);
    }
    CHECK(shortest(0.1) == "0.1");
    CHECK(Json(std::nan("")).dump() == "null");
    CHECK(Json(HUGE_VAL).dump() == "null");
}

TEST_CASE("JSON keeps the order of keys and says what is wrong", "[base]") {
    Json json = Json::object()
                    .set("b", 1)
                    .set("a", "x\"y")
                    .set("list", Json::array().push(true).push(Json()));
    json.set("b", 2);
    CHECK(json.dump() == R"({"b":2,"a":"x\"y","list":[true,null]})");
    const Json back = Json::parse(json.dump());
    CHECK(back.keys() == std::vector<std::string>{"b", "a", "list"});
    CHECK(back.at("list").at(0).boolean());
    CHECK(back.at("list").at(1).is_null());
    CHECK(back.at("list").size() == 2);
    CHECK(error_of([&] { back.at("c"); }).what() == std::string("JSON: key 'c' is missing"));
    CHECK(error_of([&] { back.at("a").number(); }).kind() == Kind::usage);

    const Error error = error_of([] { Json::parse("{\n \"a\": ]}", "x.json"); });
    CHECK(error.kind() == Kind::usage);
    CHECK(error.place() == Place{"x.json", 2, 7});
}

TEST_CASE("an error says where, its kind is the exit code", "[base]") {
    CHECK(place_prefix({}).empty());
    CHECK(place_prefix({"a.toml"}) == "a.toml: ");
    CHECK(place_prefix({"a.toml", 3}) == "a.toml:3: ");
    const Error error = error_of([] {
        fail_at({"a.toml", 3, 7}, Kind::usage, "unknown key '{}'", "x");
    });
    CHECK(error.what() == std::string("a.toml:3:7: unknown key 'x'"));
    CHECK(error.exit_code() == 2);
    CHECK(error.rank() == -1);
    CHECK(error_of([] { promise(false, "even"); }).exit_code() == 70);
    CHECK_NOTHROW(promise(true, "odd"));
    CHECK(as_error(std::bad_alloc()).kind() == Kind::environment);
    CHECK(as_error(std::runtime_error("x")).kind() == Kind::bug);
    CHECK(as_error(error).place() == error.place());
    for (const Kind kind :
         {Kind::usage, Kind::environment, Kind::numeric, Kind::launch, Kind::peer, Kind::stopped})
        CHECK(kind_name(kind) != kind_name(Kind::bug));
}

TEST_CASE("SHA-256 gives the answers of FIPS 180-4", "[base]") {
    CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    const std::vector<double> zero = {0.0};
    CHECK(sha256(std::span<const double>(zero)) == sha256(std::string_view("\0\0\0\0\0\0\0\0", 8)));
}

TEST_CASE("a parallel loop visits every index once", "[base]") {
    for (const int threads : {1, 2, 5})
        for (const std::size_t count : {0U, 1U, 3U, 100U}) {
            std::vector<std::atomic<int>> visits(count);
            parallel_for(count, threads, [&](std::size_t index, int worker) {
                if (worker >= 0 && worker < threads) ++visits[index];
            });
            for (const auto& visit : visits) CHECK(visit == 1);
        }
}

TEST_CASE("a parallel loop throws the exception of its lowest failing index", "[base]") {
    for (const int threads : {1, 2, 5}) {
        const Error error = error_of([&] {
            parallel_for(50, threads, [](std::size_t index, int) {
                if (index % 10 == 7) fail(Kind::numeric, "index {}", index);
            });
        });
        CHECK(error.what() == std::string("index 7"));
        CHECK(error.kind() == Kind::numeric);
    }
}

TEST_CASE("well-formed UTF-8", "[base]") {
    using namespace std::string_view_literals;
    for (const auto text :
         {""sv, "a\0b"sv, "\x7F\xC2\x80"sv, "\xDF\xBF"sv, "\xE0\xA0\x80"sv,
          "\xED\x9F\xBF\xEE\x80\x80"sv, "\xF0\x90\x80\x80"sv, "\xF4\x8F\xBF\xBF"sv})
        CHECK(is_utf8(text));
    for (const auto text :
         {"\x80"sv, "\xC2"sv, "\xC2\x41"sv, "\xC1\xBF"sv, "\xE0\x9F\xBF"sv, "\xE2\x82"sv,
          "\xED\xA0\x80"sv, "\xED\xBF\xBF"sv, "\xF0\x8F\xBF\xBF"sv, "\xF4\x90\x80\x80"sv, "\xFF"sv})
        CHECK_FALSE(is_utf8(text));
}

TEST_CASE("a number that no double holds is refused, not thrown through", "[base][json]") {
    CHECK_THROWS_AS(Json::parse("{\"loss\": 1e999}"), Error);
}
