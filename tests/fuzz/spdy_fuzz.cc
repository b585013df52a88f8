#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "http/wire/spdy_codec.h"

namespace proa::http {
namespace spdy_fuzz {

struct Record final : SpdyCodec::Events {
  void on_data(uint32_t stream, std::string_view bytes) override {
    CHECK(stream != 0 && !bytes.empty());
    for (const char c : bytes) text += std::to_string(stream) + c;
  }
  void on_end(uint32_t stream) override { text += "end " + std::to_string(stream) + '\n'; }
  std::string text;
};

std::string run(std::string_view input, size_t step) {
  Record record;
  SpdyCodec codec(record);
  size_t answered = 0;
  for (size_t i = 0; i < input.size(); i += step) {
    const bool ok = codec.receive(input.substr(i, step)).ok();
    answered += codec.take_output().size();
    if (!ok) break;
  }
  // Responses to pings, which are of the same size.
  CHECK(answered <= input.size());
  return record.text;
}

}  // namespace spdy_fuzz
}  // namespace proa::http

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::string whole = proa::http::spdy_fuzz::run(input, input.size() + 1);
  CHECK(proa::http::spdy_fuzz::run(input, 1 + data[0] % 16) == whole);
  return 0;
}
