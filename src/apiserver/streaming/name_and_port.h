#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace proa::apiserver {

// "web", "web:8080", "web:http", "https:web:8443", "https:web:": how proxies name what they want.
struct NameAndPort {
  std::string scheme = "http";
  std::string name = {};
  std::string port = {};  // a number, or a name; empty: none
};
std::optional<NameAndPort> parse_name_and_port(std::string_view text);

}  // namespace proa::apiserver
