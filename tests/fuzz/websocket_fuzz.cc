#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/random.h"
#include "base/utf8.h"
#include "http/wire/websocket_codec.h"

namespace proa::http {
namespace websocket_fuzz {

constexpr size_t kMaxMessage = 2000;

struct Record final : WebSocketCodec::Events {
  void on_message(WebSocketCodec::Kind kind, std::string_view message) override {
    CHECK(message.size() <= kMaxMessage);
    CHECK(kind == WebSocketCodec::Kind::kBinary || is_utf8(message));
    text += std::string(message) + '\n';
  }
  void on_close(uint16_t, std::string_view reason) override {
    CHECK(is_utf8(reason));
    text += "close\n";
  }
  std::string text;
};

std::string run(WebSocketCodec::Role role, std::string_view input, size_t step) {
  SeededRandom random(1);
  Record record;
  WebSocketCodec codec(role, kMaxMessage, random, record);
  size_t answered = 0;
  for (size_t i = 0; i < input.size(); i += step) {
    const bool ok = codec.receive(input.substr(i, step)).ok();
    answered += codec.take_output().size();
    if (!ok || codec.closed()) break;
  }
  // Pongs and a close: never much more than the input.
  CHECK(answered <= 2 * input.size() + 200);
  return record.text.substr(0, record.text.find("close\n"));
}

}  // namespace websocket_fuzz
}  // namespace proa::http

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using proa::http::WebSocketCodec;
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto role =
      (data[0] & 1) == 0 ? WebSocketCodec::Role::kServer : WebSocketCodec::Role::kClient;
  const std::string whole = proa::http::websocket_fuzz::run(role, input, input.size() + 1);
  CHECK(proa::http::websocket_fuzz::run(role, input, 1 + data[0] % 16) == whole);
  return 0;
}
