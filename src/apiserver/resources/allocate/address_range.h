#pragma once

#include <cstdint>
#include <optional>

#include "apiserver/resources/allocate/choose.h"
#include "base/net/ip_address.h"

namespace proa::apiserver {

// The assignable addresses of a network: without the first, which names the network, and for IPv4
// without the broadcast address. Numbered from zero.
class AddressRange {
 public:
  explicit AddressRange(const IpPrefix& prefix);

  bool is_v4() const { return prefix_.address.is_v4(); }
  const NumberRange& numbers() const { return numbers_; }
  const IpPrefix& prefix() const { return prefix_; }

  // REQUIRES: number < numbers().size.
  IpAddress at(uint64_t number) const;
  // Nullopt if it is not in the range.
  std::optional<uint64_t> number_of(const IpAddress& address) const;

 private:
  IpPrefix prefix_;
  NumberRange numbers_;
};

}  // namespace proa::apiserver
