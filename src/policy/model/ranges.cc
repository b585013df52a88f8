#include "policy/model/ranges.h"

#include <algorithm>
#include <map>

namespace proa::policy {
namespace ranges {

// An address as a number. IPv4 stays behind ::ffff:, so the order is that of addresses.
__extension__ using Number = unsigned __int128;

struct Span {
  Number first;
  Number last;
};

constexpr unsigned kBits = 128;
constexpr unsigned kBitsOfV4 = 32;
constexpr Number kMost = ~Number{0};

Number number_of(const IpAddress& address) {
  Number number = 0;
  for (const uint8_t byte : address.bytes) number = number << 8 | byte;
  return number;
}

IpAddress address_of(Number number) {
  IpAddress address;
  for (auto byte = address.bytes.rbegin(); byte != address.bytes.rend(); ++byte) {
    *byte = static_cast<uint8_t>(number);
    number >>= 8;
  }
  return address;
}

Span span_of(const IpPrefix& prefix) {
  const unsigned free = (prefix.v6 ? kBits : kBitsOfV4) - prefix.bits;
  const Number first = number_of(prefix.base());
  return {first, first | (free == kBits ? kMost : (Number{1} << free) - 1)};
}

// Those that overlap or follow each other become one.
template <typename Range>
std::vector<Range> joined(std::vector<Range> all) {
  std::ranges::sort(all, {}, &Range::first);
  std::vector<Range> apart;
  for (const Range& one : all) {
    // Not last + 1, which may not exist.
    const bool touches =
        !apart.empty() && (one.first <= apart.back().last || one.first - 1 == apart.back().last);
    if (touches) {
      apart.back().last = std::max(apart.back().last, one.last);
    } else {
      apart.push_back(one);
    }
  }
  return apart;
}

// What is left of a block.
void add_block(const AddressPeer& block, std::vector<Span>& into) {
  std::vector<Span> excepts;
  for (const IpPrefix& except : block.except) {
    if (except.v6 == block.range.v6) excepts.push_back(span_of(except));
  }
  Span rest = span_of(block.range);
  for (const Span& except : joined(std::move(excepts))) {
    if (except.last < rest.first) continue;
    if (except.first > rest.last) break;
    if (except.first > rest.first) into.push_back({rest.first, except.first - 1});
    if (except.last >= rest.last) return;
    rest.first = except.last + 1;
  }
  into.push_back(rest);
}

// The range that may have it.
template <typename Range, typename Place>
bool has(const std::vector<Range>& ranges, const Place& place) {
  const auto behind = std::ranges::upper_bound(ranges, place, {}, &Range::first);
  return behind != ranges.begin() && place <= std::prev(behind)->last;
}

}  // namespace ranges

AddressRanges ranges_of(const std::vector<AddressPeer>& blocks, bool v6) {
  std::vector<ranges::Span> spans;
  for (const AddressPeer& block : blocks) {
    if (block.range.v6 == v6) ranges::add_block(block, spans);
  }
  AddressRanges found;
  for (const ranges::Span& span : ranges::joined(std::move(spans))) {
    found.push_back({ranges::address_of(span.first), ranges::address_of(span.last)});
  }
  return found;
}

bool contains(const AddressRanges& all, const IpAddress& address) {
  return ranges::has(all, address);
}

bool ProtocolPorts::contains(uint16_t port) const { return policy::ranges::has(ranges, port); }

std::vector<ProtocolPorts> ranges_of(const std::vector<Ports>& ports) {
  std::map<uint8_t, std::vector<PortRange>> all;
  for (const Ports& one : ports) {
    if (one.name.empty()) all[one.protocol].push_back({one.first, one.last});
  }
  std::vector<ProtocolPorts> found;
  for (auto& [protocol, some] : all) {
    found.push_back({.protocol = protocol, .ranges = ranges::joined(std::move(some))});
  }
  return found;
}

}  // namespace proa::policy
