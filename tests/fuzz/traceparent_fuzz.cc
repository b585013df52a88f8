// The header field traceparent, which anybody may send: what is accepted has one form.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "apiserver/front/tracing/otlp.h"
#include "apiserver/front/tracing/traceparent.h"
#include "base/encoding.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace proa::apiserver::tracing;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  static_cast<void>(rejected_spans(input));
  const auto remote = parse_traceparent(input);
  if (!remote) return 0;
  const auto hex = [](const auto& bytes) {
    return proa::to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  };
  const std::string ids = "-" + hex(remote->trace) + "-" + hex(remote->span) + "-";
  if (input.substr(2, ids.size()) != ids) std::abort();
  const auto again = parse_traceparent("00" + ids + (remote->sampled ? "01" : "00"));
  if (!again || !(*again == *remote)) std::abort();
  return 0;
}
