// Parsed URLs and request targets can be printed and parsed to the same.

#include <cstdint>

#include "base/check.h"
#include "http/wire/url.h"

namespace {

void check_target(std::string_view text) {
  const auto target = proa::http::parse_target(text);
  if (!target.ok()) return;
  std::string again;
  for (const auto& segment : target->segments) {
    CHECK(segment.find('\0') == std::string::npos);
    again += "/" + proa::http::percent_encode(segment);
  }
  if (again.empty()) again = "/";
  char separator = '?';
  for (const auto& [name, value] : target->query) {
    again += separator + proa::http::percent_encode(name) + "=" + proa::http::percent_encode(value);
    separator = '&';
  }
  // Encoding may make it longer than the limit.
  const auto second = proa::http::parse_target(again, {.bytes = SIZE_MAX});
  CHECK(second.ok());
  CHECK(second->segments == target->segments);
  CHECK(second->query == target->query);
}

void check_url(std::string_view text) {
  const auto url = proa::http::parse_url(text);
  if (!url.ok()) return;
  CHECK(!url->host.empty() && url->port > 0 && url->port < 65536);
  CHECK(url->host.find_first_of("@/?#%") == std::string::npos);
  CHECK(url->target.front() == '/');
  const bool v6 = url->host.find(':') != std::string::npos;
  const auto second =
      proa::http::parse_url(url->scheme + "://" + (v6 ? "[" + url->host + "]" : url->host) + ":" +
                            std::to_string(url->port) + url->target);
  CHECK(second.ok() || text.size() > 30'000);
  if (second.ok())
    CHECK(second->host == url->host && second->port == url->port && second->target == url->target);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_target(text);
  check_url(text);
  return 0;
}
