#pragma once

#include <cstdint>
#include <optional>

#include "api/validation/ip_address.h"
#include "apiserver/resources/allocate/choose.h"

namespace proa::apiserver {

// The addresses of a network that something can have: not the first one, which names the network,
// and of IPv4 not the last one, to which broadcasts go. They are numbered from zero.
class AddressRange {
 public:
  explicit AddressRange(const api::IpPrefix& prefix);

  bool is_v4() const { return prefix_.address.is_v4(); }
  const NumberRange& numbers() const { return numbers_; }
  const api::IpPrefix& prefix() const { return prefix_; }

  // REQUIRES: number < numbers().size.
  api::IpAddress at(uint64_t number) const;
  // Nullopt when it is none of them.
  std::optional<uint64_t> number_of(const api::IpAddress& address) const;

 private:
  api::IpPrefix prefix_;
  NumberRange numbers_;
};

}  // namespace proa::apiserver
