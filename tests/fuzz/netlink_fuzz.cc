// Messages of the kernel: reading ends within the bytes, and attributes do not overlap.

#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "netlink/conntrack/flow.h"
#include "netlink/message.h"
#include "netlink/route/read.h"

namespace proa::netlink {
namespace netlink_fuzz {

constexpr int kDepth = 4;

void walk(const Attributes& attributes, std::string_view within, int depth) {
  const char* behind = within.data();
  for (const Attribute& attribute : attributes) {
    const std::string_view bytes = attribute.bytes();
    CHECK(bytes.data() >= behind && bytes.data() + bytes.size() <= within.data() + within.size());
    behind = bytes.data() + bytes.size();
    CHECK(attribute.text().size() <= bytes.size());
    static_cast<void>(attribute.number());
    static_cast<void>(attribute.network_number());
    static_cast<void>(attribute.address());
    if (depth > 0) walk(attribute.nested(), bytes, depth - 1);
  }
}

}  // namespace netlink_fuzz
}  // namespace proa::netlink

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace proa::netlink;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  MessageReader reader(text);
  size_t sum = 0;
  while (const auto message = reader.next()) {
    sum += sizeof message->header + message->payload.size();
    CHECK(sum <= size);
    netlink_fuzz::walk(message->attributes_behind(0), message->payload, netlink_fuzz::kDepth);
    static_cast<void>(read_answer(*message));
    static_cast<void>(read_link(*message));
    static_cast<void>(read_address(*message));
    static_cast<void>(read_route(*message));
    static_cast<void>(read_neighbour(*message));
    static_cast<void>(read_route_answer(*message));
    static_cast<void>(read_flow(*message));
  }
  return 0;
}
