/// Any text as a config: read or refused; a config that is read is written and reads back the same.
#include "fuzz.hpp"

#include "wavetrain/config/config.hpp"

using namespace wavetrain;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(fuzz::text_of(data, size));
    fuzz::may_refuse([&] {
        const Config config = parse_config(text, "fuzz.toml", {});
        const std::string written = config_text(config, ConfigPart::everything);
        const Config again = parse_config(written, "fuzz.toml", {});
        fuzz::require(changed_keys(config, again, ConfigPart::everything).empty());
        fuzz::require(config_text(again, ConfigPart::everything) == written);
    });
    return 0;
}
