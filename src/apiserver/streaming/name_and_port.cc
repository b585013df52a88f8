#include "apiserver/streaming/name_and_port.h"

#include <algorithm>
#include <cctype>

#include "base/strings.h"

namespace proa::apiserver {
namespace name_and_port {

bool is_name(std::string_view text) {
  const auto good = [](char c) {
    return (std::islower(static_cast<unsigned char>(c)) != 0) ||
           (std::isdigit(static_cast<unsigned char>(c)) != 0) || c == '-' || c == '.';
  };
  return !text.empty() && text.size() <= 253 && std::all_of(text.begin(), text.end(), good);
}

bool is_port(std::string_view text) {
  if (text.empty()) return true;
  const std::optional<int64_t> number = parse_int(text);
  if (number) return *number > 0 && *number <= 65535;
  return is_name(text) && text.size() <= 63;
}

}  // namespace name_and_port

std::optional<NameAndPort> parse_name_and_port(std::string_view text) {
  NameAndPort found;
  const size_t first = text.find(':');
  const size_t second = first == std::string_view::npos ? first : text.find(':', first + 1);
  if (second != std::string_view::npos) {
    found.scheme = text.substr(0, first);
    if (found.scheme != "http" && found.scheme != "https") {
      if (!found.scheme.empty()) return std::nullopt;
      found.scheme = "http";
    }
    found.name = text.substr(first + 1, second - first - 1);
    found.port = text.substr(second + 1);
  } else {
    found.name = text.substr(0, first);
    if (first != std::string_view::npos) found.port = text.substr(first + 1);
  }
  if (!name_and_port::is_name(found.name) || !name_and_port::is_port(found.port)) {
    return std::nullopt;
  }
  return found;
}

}  // namespace proa::apiserver
