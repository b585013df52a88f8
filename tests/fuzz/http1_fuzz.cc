#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/check.h"
#include "http/wire/http1_parser.h"

namespace proa::http {
namespace http1_fuzz {

// Records parsed messages, so that two runs can be compared.
struct Record final : Http1Parser::Events {
  void on_request(RequestHead head) override {
    CHECK(is_token(head.method));
    CHECK(head.target.find_first_of(std::string_view(" \r\n\0", 4)) == std::string::npos);
    text += head.method + ' ' + head.target + ' ' + head.authority + '\n';
    append(head.headers);
  }
  void on_response(ResponseHead head) override {
    text += std::to_string(head.status) + '\n';
    append(head.headers);
  }
  void on_body(std::string_view bytes) override { text += bytes; }
  void on_message_end(Headers trailers) override {
    text += "\nend\n";
    append(trailers);
  }
  void append(const Headers& headers) {
    for (const auto& [name, value] : headers) {
      CHECK(is_token(name));
      CHECK(value.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos);
      text += name + ':' + value + '\n';
    }
  }
  std::string text;
};

// As a whole, or in pieces whose sizes come from `seed`.
std::string parse(Http1Parser::Kind kind, std::string_view input, bool split, uint32_t seed) {
  Record record;
  Http1Parser parser(kind, {4096, 32}, record);
  std::string pending;
  while (true) {
    auto taken = parser.feed(pending);
    if (!taken.ok()) return record.text + "refused " + std::to_string(taken.status().code());
    CHECK(*taken <= pending.size());
    pending.erase(0, *taken);
    if (parser.message_done()) {
      static_cast<void>(parser.keep_alive());
      static_cast<void>(parser.upgrade());
      parser.next_message();
      continue;
    }
    if (*taken > 0 && !pending.empty()) continue;
    if (input.empty()) break;
    size_t size = input.size();
    if (split) {
      seed = seed * 1664525 + 1013904223;
      size = std::min<size_t>(size, 1 + (seed >> 24) % 16);
    }
    pending.append(input.substr(0, size));
    input.remove_prefix(size);
  }
  if (parser.in_message()) record.text += parser.feed_end().ok() ? "ended" : "cut";
  return record.text;
}

}  // namespace http1_fuzz
}  // namespace proa::http

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using proa::http::Http1Parser;
  if (size == 0) return 0;
  const uint8_t choice = data[0];
  const std::string_view input(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto kind =
      (choice & 1) == 0 ? Http1Parser::Kind::kRequests : Http1Parser::Kind::kResponses;
  const std::string whole = proa::http::http1_fuzz::parse(kind, input, false, 0);
  const std::string split = proa::http::http1_fuzz::parse(kind, input, true, choice);
  CHECK(whole == split);
  return 0;
}
