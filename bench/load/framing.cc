#include "framing.h"

#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>

namespace proa::load {

std::string_view name_of(Protocol protocol) {
  return protocol == Protocol::kHttp1 ? "HTTP/1.1" : "HTTP/2";
}

std::unique_ptr<Framing> make_framing(Protocol protocol) {
  return protocol == Protocol::kHttp1 ? make_http1_framing() : make_http2_framing();
}

void Framing::Events::on_given_up(size_t /*tag*/, uint64_t code) {
  fail("the server gave up a stream, with code " + std::to_string(code));
}

void fail(const std::string& message) {
  std::fflush(stdout);
  fmt::print(stderr, "bench: {}\n", message);
  std::exit(1);
}

}  // namespace proa::load
