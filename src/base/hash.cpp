/// SHA-256: the one place for OpenSSL.
#include "wavetrain/base/hash.hpp"

#include "wavetrain/base/error.hpp"

#include <array>
#include <openssl/evp.h>

namespace wavetrain {

std::string sha256(std::string_view bytes) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1)
        fail(Kind::environment, "the crypto library offers no SHA-256");
    std::string text;
    for (unsigned int i = 0; i < length; ++i) text += format("{:02x}", digest[i]);
    return text;
}

std::string sha256(std::span<const double> values) {
    return sha256(
        std::string_view(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
}

} // namespace wavetrain
