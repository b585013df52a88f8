// The messages do not depend on how the stream is split, and printing them restores the stream.

#include <cstdint>

#include "base/check.h"
#include "http/wire/grpc_frame.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using proa::http::GrpcFrameReader;
  constexpr size_t kMaxMessage = 4096;
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  GrpcFrameReader whole(kMaxMessage);
  const bool good = whole.feed(text).ok();
  GrpcFrameReader pieces(kMaxMessage);
  bool pieces_good = true;
  for (size_t at = 0; at < size && pieces_good; ++at)
    pieces_good = pieces.feed(text.substr(at, 1)).ok();
  CHECK(good == pieces_good);

  std::string printed;
  while (auto message = whole.next()) {
    CHECK(message->size() <= kMaxMessage);
    const auto same = pieces.next();
    CHECK(same && *same == *message);
    printed += proa::http::print_grpc_frame(message->view());
  }
  CHECK(!pieces.next());
  CHECK(text.substr(0, printed.size()) == printed);
  if (good && whole.at_boundary()) CHECK(printed == text);
  return 0;
}
