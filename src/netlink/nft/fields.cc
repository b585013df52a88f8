#include "netlink/nft/fields.h"

#include <linux/if_ether.h>
#include <linux/netfilter/nf_tables.h>

#include "base/check.h"

namespace proa::netlink::nft {

Range range_of(Family family, Field field) {
  const bool v6 = family == Family::kIp6;
  switch (field) {
    case Field::kSource:
      return {NFT_PAYLOAD_NETWORK_HEADER, v6 ? 8U : 12U, v6 ? 16U : 4U};
    case Field::kDestination:
      return {NFT_PAYLOAD_NETWORK_HEADER, v6 ? 24U : 16U, v6 ? 16U : 4U};
    case Field::kDestinationPort:
      return {NFT_PAYLOAD_TRANSPORT_HEADER, kDestinationPortOffset, 2};
    case Field::kMacDestination:
      return {NFT_PAYLOAD_LL_HEADER, 0, 6};
    case Field::kMacSource:
      return {NFT_PAYLOAD_LL_HEADER, 6, 6};
    case Field::kArpMac:
      return {NFT_PAYLOAD_NETWORK_HEADER, 8, 6};
    case Field::kArpSource:
      return {NFT_PAYLOAD_NETWORK_HEADER, 14, 4};
    case Field::kSource6:
      return {NFT_PAYLOAD_NETWORK_HEADER, 8, 16};
    case Field::kDestination6:
      return {NFT_PAYLOAD_NETWORK_HEADER, 24, 16};
    case Field::kNeighbour:
      return {NFT_PAYLOAD_TRANSPORT_HEADER, 8, 16};
    case Field::kInput:
    case Field::kOutput:
    case Field::kProtocol:
    case Field::kOriginalDestination:
    case Field::kOriginalDestinationPort:
    case Field::kClass:
      break;
  }
  CHECK(false);
}

uint16_t ether_type_of(Field field) {
  switch (field) {
    case Field::kSource:
    case Field::kDestination:
      return ETH_P_IP;
    case Field::kArpMac:
    case Field::kArpSource:
      return ETH_P_ARP;
    case Field::kSource6:
    case Field::kDestination6:
    case Field::kNeighbour:
      return ETH_P_IPV6;
    default:
      return 0;
  }
}

}  // namespace proa::netlink::nft
