#include "netlink/nft/ruleset.h"

#include <arpa/inet.h>

#include "base/check.h"

namespace proa::netlink::nft {

namespace ruleset {

constexpr size_t kWord = 4;
constexpr size_t kLinkName = 16;  // IFNAMSIZ

void append_padded(Data& bytes, const void* part, size_t size) {
  bytes.append(static_cast<const char*>(part), size);
  bytes.append((kWord - size % kWord) % kWord, '\0');
}

}  // namespace ruleset

KeyWriter& KeyWriter::address(const IpAddress& address) {
  const size_t skipped = address.is_v4() ? 12 : 0;
  ruleset::append_padded(bytes_, address.bytes.data() + skipped, 16 - skipped);
  return *this;
}

KeyWriter& KeyWriter::protocol(uint8_t number) {
  ruleset::append_padded(bytes_, &number, sizeof number);
  return *this;
}

KeyWriter& KeyWriter::port(uint16_t port) {
  const uint16_t ordered = htons(port);
  ruleset::append_padded(bytes_, &ordered, sizeof ordered);
  return *this;
}

KeyWriter& KeyWriter::mark(uint32_t mark) {
  ruleset::append_padded(bytes_, &mark, sizeof mark);
  return *this;
}

KeyWriter& KeyWriter::mac(const std::array<uint8_t, 6>& mac) {
  ruleset::append_padded(bytes_, mac.data(), mac.size());
  return *this;
}

KeyWriter& KeyWriter::link(std::string_view name) {
  CHECK(name.size() < ruleset::kLinkName);
  bytes_.append(name).append(ruleset::kLinkName - name.size(), '\0');
  return *this;
}

std::vector<Element> range_elements(const IpPrefix& prefix) {
  Data begin = KeyWriter().address(prefix.base()).take();
  Data end = begin;
  // Adds one to the last bit of the prefix.
  size_t at = prefix.bits == 0 ? 0 : (prefix.bits - 1) / 8;
  unsigned carry = prefix.bits == 0 ? 0x100 : 1U << (7 - (prefix.bits - 1) % 8);
  while (true) {
    carry += static_cast<uint8_t>(end[at]);
    end[at] = static_cast<char>(carry & 0xff);
    carry >>= 8;
    if (carry == 0 || at == 0) break;
    --at;
  }
  std::vector<Element> elements = {{.key = std::move(begin)}};
  if (carry == 0) elements.push_back({.key = std::move(end), .ends_range = true});
  return elements;
}

size_t length_of(Family family, const std::vector<Type>& types) {
  size_t length = 0;
  for (const Type type : types) {
    const bool is_long = type == Type::kAddress6 || type == Type::kLink ||
                         (type == Type::kAddress && family == Family::kIp6);
    length += is_long ? 16 : type == Type::kMac ? 2 * ruleset::kWord : ruleset::kWord;
  }
  return length;
}

Type type_of(Field field) {
  switch (field) {
    case Field::kSource:
    case Field::kDestination:
    case Field::kOriginalDestination:
    case Field::kArpSource:
      return Type::kAddress;
    case Field::kProtocol:
      return Type::kProtocol;
    case Field::kDestinationPort:
    case Field::kOriginalDestinationPort:
      return Type::kPort;
    case Field::kClass:
      return Type::kClass;
    case Field::kInput:
    case Field::kOutput:
      return Type::kLink;
    case Field::kMacSource:
    case Field::kMacDestination:
    case Field::kArpMac:
      return Type::kMac;
    case Field::kSource6:
    case Field::kDestination6:
    case Field::kNeighbour:
      return Type::kAddress6;
  }
  return Type::kMark;
}

}  // namespace proa::netlink::nft
