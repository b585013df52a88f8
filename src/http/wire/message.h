#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"

namespace proa::http {

// Header fields in wire order. Names are in lower case, as in HTTP/2.
class Headers {
 public:
  using Field = std::pair<std::string, std::string>;

  Headers() = default;
  Headers(std::initializer_list<Field> fields);

  void add(std::string_view name, std::string_view value);
  // Replaces all fields of that name.
  void set(std::string_view name, std::string_view value);
  void remove(std::string_view name);
  // The first value, or empty. REQUIRES here and below: `name` is in lower case.
  std::string_view get(std::string_view name) const;
  bool has(std::string_view name) const;
  bool has_prefix(std::string_view prefix) const;  // any name with this prefix
  std::vector<std::string_view> all(std::string_view name) const;
  // Whether a comma-separated field (Connection, Accept-Encoding) contains `token`, in any case;
  // parameters after ';' are ignored.
  bool has_token(std::string_view name, std::string_view token) const;
  // The same for preferences, where a weight of zero excludes `token`: "gzip;q=0".
  bool accepts(std::string_view name, std::string_view token) const;

  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }
  size_t size() const { return fields_.size(); }
  bool empty() const { return fields_.empty(); }
  // What they take in memory, about.
  size_t memory() const;

 private:
  std::vector<Field> fields_;
};

enum class Version : uint8_t { kHttp10, kHttp11, kHttp2 };

struct RequestHead {
  std::string method;
  std::string target;     // path and query, as sent: "/api/v1/pods?watch=true"
  std::string authority;  // Host, or :authority
  std::string scheme;     // "https"; HTTP/2 clients send it
  Version version = Version::kHttp11;
  Headers headers;  // without pseudo headers

  // What it takes in memory, about.
  size_t memory() const;
};

struct ResponseHead {
  int status = 200;
  Headers headers;
};

struct Response {
  int status = 200;
  Headers headers;
  Bytes body;
  Headers trailers;
};

// The reason phrase: 404 -> "Not Found".
std::string_view status_text(int status);
// A token of RFC 9110: methods and field names.
bool is_token(std::string_view text);

}  // namespace proa::http
