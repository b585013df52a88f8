// Whatever neighbours ask, the answer is a well-formed claim of the address they asked for.

#include <cstdint>

#include "base/check.h"
#include "network/announce/frames.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using proa::network::AddressFrame;
  constexpr proa::network::MacAddress kMac = {2, 0, 0, 0, 0, 1};
  const auto read = proa::network::read_address_frame({reinterpret_cast<const char*>(data), size});
  if (!read) return 0;
  for (const std::string& frame : {proa::network::answer_frame(*read, kMac),
                                   proa::network::announcement_frame(read->address, kMac)}) {
    const auto claim = proa::network::read_address_frame(frame);
    CHECK(claim && claim->kind == AddressFrame::Kind::kClaim);
    CHECK(claim->address == read->address && claim->sender_mac == kMac);
  }
  return 0;
}
