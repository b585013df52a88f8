#include "apiserver/streaming/aggregation/identity_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/strings.h"

namespace proa::apiserver {
namespace identity_fields {

constexpr std::string_view kExtraPrefix = "x-remote-extra-";

bool is_identity(std::string_view name) {
  return name == "x-remote-user" || name == "x-remote-uid" || name == "x-remote-group" ||
         name.starts_with(kExtraPrefix);
}

constexpr std::array<std::string_view, 9> kForeignClaims = {"access-control-allow-credentials",
                                                            "access-control-allow-headers",
                                                            "access-control-allow-methods",
                                                            "access-control-allow-origin",
                                                            "alt-svc",
                                                            "clear-site-data",
                                                            "public-key-pins",
                                                            "set-cookie",
                                                            "strict-transport-security"};

bool is_foreign_claim(std::string_view name) {
  return std::ranges::find(kForeignClaims, name) != kForeignClaims.end() || is_identity(name) ||
         name.starts_with("impersonate-");
}

template <typename Wanted>
void remove_all(http::Headers& headers, Wanted wanted) {
  http::Headers kept;
  for (const auto& [name, value] : headers) {
    if (!wanted(name)) kept.add(name, value);
  }
  headers = std::move(kept);
}

// Percent-encodes what a field name cannot have, as upstream's headerKeyEscape.
std::string escaped(std::string_view key) {
  std::string text;
  for (const char c : key) {
    if (c != '%' && http::is_token(std::string_view(&c, 1))) {
      text += c;
    } else {
      text += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return to_lower(text);
}

bool is_sendable(std::string_view value) {
  constexpr std::string_view kLineEnds{"\r\n\0", 3};
  return trim(value) == value && value.find_first_of(kLineEnds) == std::string_view::npos;
}

}  // namespace identity_fields

void set_identity(http::Headers& headers, const User& user) {
  using namespace identity_fields;
  remove_all(headers, is_identity);
  headers.set("x-remote-user", user.name);
  if (!user.uid.empty()) headers.set("x-remote-uid", user.uid);
  for (const std::string& group : user.groups) headers.add("x-remote-group", group);
  for (const auto& [key, values] : user.extra) {
    const std::string name = std::string(kExtraPrefix) + escaped(key);
    for (const std::string& value : values) headers.add(name, value);
  }
}

bool can_be_named(const User& user) {
  using identity_fields::is_sendable;
  return is_sendable(user.name) && is_sendable(user.uid) &&
         std::ranges::all_of(user.groups, is_sendable) &&
         std::ranges::all_of(user.extra, [](const auto& extra) {
           return std::ranges::all_of(extra.second, is_sendable);
         });
}

void remove_foreign_claims(http::Headers& headers) {
  identity_fields::remove_all(headers, identity_fields::is_foreign_claim);
}

const User& aggregator_user() {
  static const User user{
      .name = "system:kube-aggregator", .uid = {}, .groups = {"system:masters"}, .extra = {}};
  return user;
}

const User& openapi_user() {
  static const User user{.name = "system:aggregator", .uid = {}, .groups = {}, .extra = {}};
  return user;
}

}  // namespace proa::apiserver
