#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace proa {

// Lower case.
std::string to_hex(std::string_view bytes);
std::string to_upper_hex(std::string_view bytes);
// Either case; nullopt for an odd length or a character that is not a digit.
std::optional<std::string> from_hex(std::string_view text);

// RFC 4648 section 4, padded.
std::string to_base64(std::string_view bytes);
// Strict: padding where it belongs, no white space, no bits left over.
std::optional<std::string> from_base64(std::string_view text);

// RFC 4648 section 5 without padding, as tokens are written.
std::string to_base64_url(std::string_view bytes);
std::optional<std::string> from_base64_url(std::string_view text);

}  // namespace proa
