#include "apiserver/access/authn/identity_headers.h"

#include <algorithm>

#include "base/encoding.h"

namespace proa::apiserver {
namespace identity_headers {

std::string decode_key(std::string_view key) {
  std::string decoded;
  for (size_t i = 0; i < key.size(); ++i) {
    if (key[i] != '%') {
      decoded += key[i];
      continue;
    }
    const std::optional<std::string> byte = from_hex(key.substr(i + 1, 2));
    if (!byte || byte->size() != 1) return std::string(key);
    decoded += *byte;
    i += 2;
  }
  return decoded;
}

}  // namespace identity_headers

void read_extra(const http::Headers& headers, std::string_view prefix, UserExtra& extra) {
  for (const auto& [name, value] : headers) {
    if (!name.starts_with(prefix)) continue;
    std::string key = identity_headers::decode_key(std::string_view(name).substr(prefix.size()));
    auto found =
        std::find_if(extra.begin(), extra.end(), [&](const auto& one) { return one.first == key; });
    if (found == extra.end()) {
      found = extra.insert(found, {std::move(key), std::vector<std::string>()});
    }
    found->second.push_back(value);
  }
}

}  // namespace proa::apiserver
