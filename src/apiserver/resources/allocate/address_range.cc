#include "apiserver/resources/allocate/address_range.h"

#include <limits>

namespace proa::apiserver {
namespace address_range {

// Upstream's division of a network between explicit and automatic allocation.
constexpr uint64_t kKeptPart = 16;
constexpr uint64_t kMaxKept = 256;
// Wider IPv6 networks are rejected, as upstream; numbers would not fit.
constexpr unsigned kMaxHostBits = 64;

IpAddress add(IpAddress address, uint64_t number) {
  uint64_t carry = 0;
  for (size_t i = address.bytes.size(); i-- > 0;) {
    const uint64_t sum = address.bytes[i] + (number & 0xff) + carry;
    address.bytes[i] = static_cast<uint8_t>(sum);
    carry = sum >> 8;
    number >>= 8;
  }
  return address;
}

// The low 64 bits: enough to distinguish addresses within a network of that size.
uint64_t low_bits(const IpAddress& address) {
  uint64_t bits = 0;
  for (size_t i = 8; i < address.bytes.size(); ++i) bits = bits << 8 | address.bytes[i];
  return bits;
}

NumberRange numbers_of(const IpPrefix& prefix) {
  const bool v4 = prefix.address.is_v4();
  const unsigned host_bits = (prefix.v6 ? 128 : 32) - prefix.bits;
  if (host_bits > kMaxHostBits) return {};
  const uint64_t most = std::numeric_limits<uint64_t>::max();
  const uint64_t total = host_bits == kMaxHostBits ? most : uint64_t{1} << host_bits;
  const uint64_t unused = v4 ? 2 : 1;
  if (total <= unused) return {};
  return {.size = total - unused, .kept = numbers_to_keep(total, kKeptPart, kMaxKept)};
}

}  // namespace address_range

AddressRange::AddressRange(const IpPrefix& prefix)
    : prefix_(prefix), numbers_(address_range::numbers_of(prefix)) {}

IpAddress AddressRange::at(uint64_t number) const {
  return address_range::add(address_range::add(prefix_.base(), 1), number);
}

std::optional<uint64_t> AddressRange::number_of(const IpAddress& address) const {
  if (address.is_v4() != is_v4() || !prefix_.contains(address)) return std::nullopt;
  const uint64_t offset =
      address_range::low_bits(address) - address_range::low_bits(prefix_.base());
  if (offset == 0 || offset > numbers_.size) return std::nullopt;
  return offset - 1;
}

}  // namespace proa::apiserver
